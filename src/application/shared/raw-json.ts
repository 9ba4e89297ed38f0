// JSON.rawJSON, which TypeScript's types do not have yet.

/** Returns a value that JSON.stringify writes as this text: a double would round decimals beyond 15 digits. */
export const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => object }
