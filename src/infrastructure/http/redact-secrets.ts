// What callers write, as logs and traces may have it.
const SECRET = /(itd|whsec)_[A-Za-z0-9_+/=-]+/g

/** Returns the text with what looks like a key blotted out. */
export function redactSecrets(text: string): string {
  return text.includes('_') ? text.replace(SECRET, '$1_***') : text
}
