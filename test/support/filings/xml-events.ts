// The events of an XML text, by our tokenizer and by saxes, in one comparable form: text between two tags is one piece,
// and white space alone is nothing.
import { SaxesParser } from 'saxes'
import { tokenizeXml, type XmlEvents } from '../../../src/infrastructure/edgar/documents/xml/tokenizer.ts'

/** Feeds saxes' events to the same handler. Throws where saxes finds a fault. */
function saxesTokenize(xml: string, events: XmlEvents): void {
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => events.open(tag.name, attributes(tag.attributes as Record<string, string>)))
  parser.on('text', (text) => events.text(text))
  parser.on('cdata', (text) => events.text(text))
  parser.on('closetag', (tag) => events.close(tag.name))
  parser.write(xml).close()
}

function attributes(given: Record<string, string>): Map<string, string> | null {
  let found: Map<string, string> | null = null
  for (const name in given) (found ??= new Map()).set(name, given[name]!)
  return found
}

export type Outcome = { events: string[] } | { refused: string }

export function ours(xml: string): Outcome {
  return outcome(xml, tokenizeXml)
}

export function theirs(xml: string): Outcome {
  return outcome(xml, saxesTokenize)
}

function outcome(xml: string, tokenize: (xml: string, events: XmlEvents) => void): Outcome {
  const recorder = new Recorder()
  try {
    tokenize(xml, recorder)
    return { events: recorder.events }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

class Recorder implements XmlEvents {
  readonly events: string[] = []
  private pending = ''

  open(name: string, attributes: ReadonlyMap<string, string> | null): void {
    this.flush()
    this.events.push(`<${name} ${JSON.stringify([...(attributes ?? [])])}>`)
  }

  text(text: string): void {
    this.pending += text
  }

  close(name: string): void {
    this.flush()
    this.events.push(`</${name}>`)
  }

  private flush(): void {
    if (!/^[ \t\n]*$/.test(this.pending)) this.events.push(this.pending)
    this.pending = ''
  }
}
