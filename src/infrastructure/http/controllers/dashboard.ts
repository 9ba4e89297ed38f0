// Handlers of the dashboard: the page, scripts and styles that the build made. Its content security policy allows only
// resources of this service, and neither HTML made from strings nor frames.
import { ServiceError } from '../../../application/errors.ts'
import type { Handler } from '../handler.ts'
import type { WebFiles } from '../web-files.ts'

export interface Dashboard {
  page: Handler<'getDashboard'>
  asset: Handler<'getDashboardAsset'>
}

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** The names of the built files that belong to the page. Scripts that it loads on demand have a hash in their name. */
const ASSET = /^([a-z]+(-[A-Z0-9]{8})?\.(js|css)(\.map)?|icon\.svg|licences\.txt)$/

/** Makes the handlers. If the dashboard is off or was not built, they answer 404. */
export function dashboard(webFiles: WebFiles, isOn: boolean): Dashboard {
  const find = (name: string, headers?: Record<string, string>) => {
    const content = isOn ? webFiles.content(name, headers) : null
    if (content === null) throw new ServiceError('not_found', 'There is nothing at this path')
    return { status: 200 as const, content }
  }
  return {
    page: () => find('index.html', HEADERS),
    asset: ({ path }) => find(ASSET.test(path.asset) ? path.asset : ''),
  }
}
