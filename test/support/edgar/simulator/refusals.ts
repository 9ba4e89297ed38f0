// What the SEC's servers say instead of an answer: HTML of its content network, XML of its object store. Clients tell
// them apart by these titles, so titles and headings are the real ones; the rest is ours.

export interface Answer {
  status: number
  type: string
  body: Buffer
  headers?: Record<string, string>
}

export function rateExceeded(): Answer {
  return page(403, 'Request Rate Threshold Exceeded', 'To allow equitable access to all, requests are limited.')
}

export function undeclaredTool(): Answer {
  return page(
    403,
    'Your Request Originates from an Undeclared Automated Tool',
    'Please declare your traffic by updating your user agent to include company specific information.',
  )
}

export function tooMany(retryAfter: number): Answer {
  return {
    ...page(429, 'Request Rate Threshold Exceeded', 'Too many requests.'),
    headers: { 'retry-after': String(retryAfter) },
  }
}

export function unavailable(): Answer {
  return page(503, 'File Unavailable', 'This page is temporarily unavailable.')
}

/** An error page that calls itself a success. */
export function pageInstead(): Answer {
  return page(200, 'File Unavailable', 'This page is temporarily unavailable.')
}

/** As for CIKs with leading zeros. */
export function moved(path: string): Answer {
  return { ...page(301, 'Moved Permanently', 'This document has another address.'), headers: { location: path } }
}

export function notFound(path: string): Answer {
  return objectStore(404, 'NoSuchKey', 'The specified key does not exist.', `<Key>${path.slice(1)}</Key>`)
}

export function forbidden(): Answer {
  return objectStore(403, 'AccessDenied', 'Access Denied', '')
}

function page(status: number, title: string, text: string): Answer {
  return {
    status,
    type: 'text/html; charset=utf-8',
    body: Buffer.from(`
<!DOCTYPE html>
<html lang="en">

<head>
    <meta http-equiv="content-type" content="text/html; charset=utf-8">
    <title>SEC.gov | ${title}</title>
</head>

<body>
    <h1>${title}</h1>
    <p>${text}</p>
    <p>Reference ID: 0.00000000.0000000000.00000000</p>
</body>

</html>`),
  }
}

function objectStore(status: number, code: string, message: string, more: string): Answer {
  return {
    status,
    type: 'application/xml',
    body: Buffer.from(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        `<Error><Code>${code}</Code><Message>${message}</Message>${more}<RequestId>SIMULATED0</RequestId></Error>`,
    ),
  }
}
