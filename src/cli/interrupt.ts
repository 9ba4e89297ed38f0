// Ctrl-C and SIGTERM in a command: the innermost work that has something to do then does it. A second one ends the process.
const acts: (() => void)[] = []

function interrupted(): void {
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  acts.at(-1)?.()
}

/** Has `act` done at the first signal, in place of what outer work wanted then, until the function returned is called. */
export function onInterrupt(act: () => void): () => void {
  if (acts.push(act) === 1) process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  return () => {
    acts.splice(acts.lastIndexOf(act), 1)
    if (acts.length === 0) process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}
