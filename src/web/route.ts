// Addresses of the page: behind the hash, so that the server has one path and any prefix of a proxy works.
import { signal } from '@preact/signals'

export interface Route {
  page: string
  /** What the page is about, such as a symbol; empty where it needs nothing. */
  id: string
  query: URLSearchParams
}

const parse = (): Route => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [page = '', ...rest] = path.split('/')
  return { page: page === '' ? 'feed' : page, id: decoded(rest.join('/')), query: new URLSearchParams(query) }
}

export const route = signal(parse())

addEventListener('hashchange', () => (route.value = parse()))

/** Returns the address of a page, for `href`. */
export function linkTo(page: string, id = '', query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const text = new URLSearchParams(given).toString()
  const path = page === 'feed' ? '' : `${page}${id === '' ? '' : `/${encodeURIComponent(id)}`}`
  return `#/${path}${text === '' ? '' : `?${text}`}`
}

export function goTo(address: string): void {
  location.hash = address
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
