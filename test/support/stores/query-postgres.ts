// One statement to a PostgreSQL, past the service and its pool.
import pg from 'pg'

export async function queryPostgres<T = any>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}
