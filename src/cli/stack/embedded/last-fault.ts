// What a log says went wrong, in one line.

/** The last line that speaks of a fault, else the last one; a JSON line's message of it. Empty for an empty log. */
export function lastFault(log: string): string {
  const lines = log.trim().split('\n')
  const last = lines.findLast((line) => /error|fatal|"level":[56]0|EADDR/i.test(line)) ?? lines.at(-1) ?? ''
  try {
    const { msg, err, error } = JSON.parse(last) as { msg?: string; err?: { message?: string }; error?: string }
    return [msg, err?.message, error].filter(Boolean).join(': ')
  } catch {
    return last.replace(/^error: /, '')
  }
}
