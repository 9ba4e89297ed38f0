// The very calls that a page made, to be copied: as curl, with the client for TypeScript, from Python.
import { useSignal } from '@preact/signals'
import { base, type ShownCall } from '../api.ts'

const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const

function written({ path, typescript, isKeyed = false }: ShownCall, language: (typeof LANGUAGES)[number]): string {
  const address = base + path
  if (language === 'curl') {
    return `curl ${isKeyed ? '-H "Authorization: Bearer $API_KEY" ' : ''}'${address.replaceAll("'", '%27')}'`
  }
  if (language === 'TypeScript') {
    return [
      `// npm install ${base}/docs/insider-trading-client.tgz`,
      "import { InsiderClient } from 'insider-trading-client'",
      `const client = new InsiderClient({ url: '${base}'${isKeyed ? ', apiKey: process.env.API_KEY' : ''} })`,
      typescript,
    ].join('\n')
  }
  const key = isKeyed ? ', headers={"Authorization": "Bearer " + API_KEY}' : ''
  return `import json, urllib.request as web\ndata = json.load(web.urlopen(web.Request("${address}"${key})))["data"]`
}

export function AsRequest({ calls }: { calls: ShownCall[] }) {
  const language = useSignal<(typeof LANGUAGES)[number]>('curl')
  const copied = useSignal('')
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text).then(
      () => (copied.value = 'copied'),
      () => (copied.value = 'not copied: the browser does not allow it here'),
    )
  }
  return (
    <details class="request">
      <summary>As an API request</summary>
      <div class="tools" role="group" aria-label="Language">
        {LANGUAGES.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={language.value === each}
            onClick={() => (language.value = each)}
          >
            {each}
          </button>
        ))}
        <span role="status" class="muted">
          {copied.value}
        </span>
      </div>
      {calls.map((call) => {
        const text = written(call, language.value)
        return (
          <div class="code" key={call.path}>
            <pre tabIndex={0} role="region" aria-label={`Request ${call.path}`}>
              {text}
            </pre>
            <button type="button" onClick={() => copy(text)} aria-label={`Copy the request ${call.path}`}>
              Copy
            </button>
          </div>
        )
      })}
    </details>
  )
}
