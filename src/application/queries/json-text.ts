// JSON that a store made, sent as it is: rows pass through this process as text, neither parsed nor written again.

export class JsonText<T> {
  readonly text: string
  #value: T | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Returns the object with these fields, of which texts stay as they are. Fields that are undefined are left out. */
  static object<T extends object>(fields: { [Name in keyof T]: T[Name] | JsonText<T[Name]> }): JsonText<T> {
    // Added one to the other, since joining would copy what may be a megabyte once more.
    let text = ''
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue
      text += `${text && ','}${JSON.stringify(name)}:${value instanceof JsonText ? value.text : JSON.stringify(value)}`
    }
    return new JsonText(`{${text}}`)
  }

  /** Returns the list of these objects, each a JSON text. */
  static list<T>(texts: string[]): JsonText<T[]> {
    return new JsonText(`[${texts.join(',')}]`)
  }

  /** The value, parsed where something reads it. */
  get value(): T {
    return (this.#value ??= JSON.parse(this.text) as T)
  }
}
