# syntax=docker/dockerfile:1
ARG NODE_IMAGE=node:20-bookworm-slim

# Compiles node-rdkafka, the intake against it, and the TypeScript sources.
FROM ${NODE_IMAGE} AS build
# The last three are not needed to build, but without them librdkafka silently lacks zstd, OIDC and GSSAPI.
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    g++ make python3 libssl-dev zlib1g-dev \
    libzstd-dev libcurl4-openssl-dev libsasl2-dev \
  && rm -rf /var/lib/apt/lists/*
# The image has node's headers, so that node-gyp need not download them.
ENV npm_config_nodedir=/usr/local JOBS=max
WORKDIR /app
# What the native build depends on, and no more, so that a change of the sources does not repeat it.
COPY package.json package-lock.json ./
COPY src/setup ./src/setup
COPY src/broker/intake ./src/broker/intake
RUN npm ci --include=dev --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
COPY workers ./workers
RUN node node_modules/typescript/bin/tsc -p . \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && cd node_modules/node-rdkafka \
  && rm -rf deps e2e test bench examples build/Release/.deps build/Release/obj.target \
    build/deps/librdkafka build/deps/include build/deps/share build/deps/*.a

FROM ${NODE_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    ca-certificates libssl3 libcurl4 libsasl2-2 libsasl2-modules-gssapi-mit libzstd1 zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  # A handler that lies anywhere finds `import … from 'tidemark'`.
  && mkdir -p /node_modules /etc/tidemark \
  && ln -s /app /node_modules/tidemark
ENV NODE_ENV=production
COPY --from=build /app/package.json /app/
COPY LICENSE /app/
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/src/broker/intake/build/Release/intake.node /app/src/broker/intake/build/Release/
COPY --from=build /app/dist/src /app/dist/src
COPY --from=build /app/dist/workers /app/dist/workers
USER node
# Put tidemark.config.yaml and the handler here, and set http.host to 0.0.0.0.
WORKDIR /etc/tidemark
EXPOSE 9464
# A start waits for Kafka as long as kafka.connectTimeoutMs; it is healthy meanwhile.
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TIDEMARK_HTTP__PORT ?? 9464}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/main.js"]
CMD ["run"]
