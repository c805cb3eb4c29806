{
  # build.mjs passes the variables: where node-rdkafka and nan lie, what version the former has, and the
  # way from the addon's folder to librdkafka.
  'variables': {
    'sanitize%': 0,
  },
  'targets': [
    {
      'target_name': 'intake',
      'sources': ['intake.cc', 'filler.cc', 'record.cc', 'sources.cc'],
      'include_dirs': [
        '<(nan_dir)',
        '<(node_rdkafka_dir)',
        '<(node_rdkafka_dir)/deps/librdkafka/src',
        '<(node_rdkafka_dir)/deps/librdkafka/src-cpp',
      ],
      'defines': ['TIDEMARK_NODE_RDKAFKA_VERSION="<(node_rdkafka_version)"'],
      'cflags_cc': [
        '-std=c++20',
        '-Wall',
        '-Wextra',
        # librdkafka's, nan's and node's headers cause these.
        '-Wno-unused-parameter',
        '-Wno-cast-function-type',
        '-Wno-ignored-qualifiers',
      ],
      'cflags_cc!': ['-fno-rtti', '-std=gnu++17', '-std=gnu++20'],
      'conditions': [
        ['OS=="linux"', {
          'libraries': [
            '<(node_rdkafka_dir)/build/deps/librdkafka.so.1',
            "-Wl,-rpath,'$$ORIGIN/<(librdkafka_from_addon)'",
          ],
        }],
        ['OS=="mac"', {
          'libraries': [
            '<(node_rdkafka_dir)/build/deps/librdkafka.dylib',
            '-Wl,-rpath,@loader_path/<(librdkafka_from_addon)',
          ],
          'xcode_settings': {
            'GCC_ENABLE_CPP_RTTI': 'YES',
            'CLANG_CXX_LANGUAGE_STANDARD': 'c++20',
          },
        }],
        ['sanitize==1', {
          'cflags_cc': ['-fsanitize=address', '-fno-omit-frame-pointer', '-O1', '-g'],
          'ldflags': ['-fsanitize=address'],
        }],
      ],
    },
  ],
}
