// Computes a value once for each object, such as the meaning of a footnote to which many rows refer.

/** Returns `compute` with its results remembered for as long as their objects live. A result is never undefined. */
export function oncePerObject<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const results = new WeakMap<Key, Value>()
  return (key) => {
    const cached = results.get(key)
    if (cached !== undefined) return cached
    const result = compute(key)
    results.set(key, result)
    return result
  }
}
