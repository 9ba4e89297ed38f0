// Feed and indexes read by a few plain patterns that share nothing with the service's readers: the other side of the
// tests of the simulator, and of what follows it.
import { assert } from 'chai'

export interface Entry {
  form: string
  name: string
  cik: string
  role: string
  link: string
  /** `YYYY-MM-DD`. */
  filed: string
  accession: string
  updated: string
}

/** In the page's order. Fails where an entry contradicts itself. */
export function entriesIn(feed: string): Entry[] {
  return [...feed.matchAll(/<entry>([^]*?)<\/entry>/g)].map(([, text = '']) => {
    const [, form, name, cik, role] = /<title>(\S+) - (.*) \((\d{10})\) \(([\w ]+)\)<\/title>/.exec(text)!
    const [, filed, stated] = /Filed:&lt;\/b&gt; (\S+) &lt;b&gt;AccNo:&lt;\/b&gt; (\S+) /.exec(text)!
    const accession = /<id>urn:tag:sec.gov,2008:accession-number=(.*)<\/id>/.exec(text)![1]!
    assert.strictEqual(stated, accession)
    assert.strictEqual(/ term="(.*)"/.exec(text)![1], form)
    return {
      form: form!,
      name: name!,
      cik: cik!,
      role: role!,
      filed: filed!,
      accession,
      link: /href="(.*)"/.exec(text)![1]!,
      updated: /<updated>(.*)<\/updated>/.exec(text)![1]!,
    }
  })
}

/** The different lines of a page with everything that is a filing's own blotted out, sorted. */
export function skeletonOf(feed: string): string[] {
  return [
    ...new Set(
      feed.split('\n').map((line) =>
        line
          .replace(/>(4|4\/A|4\d\d\S*|40-\S+) - .* \(\d{10}\) \((Reporting|Issuer|Filer|Subject|Filed by)\)</, '>T<')
          .replace(/data\/\d+\/\d{18}\/\d{10}-\d\d-\d{6}-index/, 'L')
          .replace(/\d{10}-\d\d-\d{6}/g, 'A')
          .replace(/\d{4}-\d\d-\d\d(T[\d:]+-0[45]:00)?/, 'D')
          .replace(/\d+ [KM]B/, 'S')
          .replace(/term="4\S*"/, 'term')
          .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]+ E[SD]T/, 'C'),
      ),
    ),
  ].sort()
}

export type IndexLayout = 'form' | 'master' | 'company' | 'crawler'

/** `form|cik|accession` of each line below the dashes. */
export function linesIn(layout: IndexLayout, index: string): string[] {
  return index
    .split(/^-+\n/m)[1]!
    .trimEnd()
    .split('\n')
    .map((line) => {
      const form =
        layout === 'master' ? line.split('|')[2]! : layout === 'form' ? line.slice(0, 12) : line.slice(62, 74)
      const [, cik, accession] = /edgar\/data\/(\d+)\/(\d{10}-\d\d-\d{6})/.exec(line)!
      return `${form.trim()}|${cik}|${accession}`
    })
}

/** An index by form: all above the lines, and the lines' columns, null where one is laid out otherwise. */
export function formLayout(index: string): { head: string; lines: (RegExpExecArray | null)[] } {
  const [head = '', lines = ''] = index.split(/(?<=^-+\n)/m)
  const columns = /^(.{12})(.{62})(\d{1,10}) {2,}(\d{8}) {4}(edgar\S+) +$/
  return {
    head,
    lines: lines
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => columns.exec(line)),
  }
}
