/** Does nothing: what the runtime itself costs. Used by the bench. */
export default function noop(): void {
  // Returning is success.
}
