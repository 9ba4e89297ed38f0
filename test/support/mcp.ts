// The protocol's own client, over each transport and in both of its revisions.
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof REVISIONS)[number]

/** Connects in exactly this revision. */
export async function connected(transport: Transport, revision: Revision): Promise<Client> {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

export function overHttp(url: string, revision: Revision, key?: string): Promise<Client> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  return connected(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }), revision)
}

/** Calls a tool and returns its text, and whether it is an error. */
export async function ask(
  client: Client,
  name: string,
  given: object = {},
): Promise<{ text: string; failed: boolean }> {
  const result = await client.callTool({ name, arguments: given as Record<string, unknown> })
  const { content, isError = false } = result as { content: { type: string; text: string }[]; isError?: boolean }
  if (content.length !== 1 || content[0]!.type !== 'text') throw new Error(`${name}: not one text`)
  if ('structuredContent' in result) throw new Error(`${name}: structured content beside the text`)
  return { text: content[0]!.text, failed: isError }
}

/** Reads the table that begins after a line, or at the first header: its rows by the names of its columns. */
export function rowsOf(text: string, title?: string): Record<string, string>[] {
  const lines = text.split('\n')
  const at =
    title === undefined
      ? lines.findIndex((line) => line.includes(' | '))
      : 1 + lines.findIndex((line) => line.startsWith(title))
  const cells = (line: string) => line.split(/(?<!\\) \| /)
  const names = cells(lines[at] ?? '')
  const rows: Record<string, string>[] = []
  for (const line of lines.slice(at + 1)) {
    const values = cells(line)
    if (values.length !== names.length) break
    rows.push(Object.fromEntries(names.map((name, place) => [name, values[place]!])))
  }
  return rows
}
