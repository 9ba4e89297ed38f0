// Masks API keys and webhook secrets in text of callers, for logs and traces.
const SECRET = /(itd|whsec)_[A-Za-z0-9_+/=-]+/g

/** Masks everything that looks like a key or a secret. */
export function redactSecrets(text: string): string {
  return text.includes('_') ? text.replace(SECRET, '$1_***') : text
}
