// Compares titles of securities. Filers type the title of one security in many ways; only words that tell one class from
// another make a difference.

const CURRENCY = '(?:(?:usd?|u\\.s\\.|hk|nt|cdn|cad|nis|ils|euros?|eur|gbp|chf|rmb|jpy|dkk|sek|nok) ?)'
const NUMBER = '(?:\\.?\\d{1,12} \\d{1,3}\\/\\d{1,3}|\\d{0,12}\\.?\\d{1,12})'
const AMOUNT = `${CURRENCY}?[$€£¥₪]? ?${NUMBER}`
/** An amount that can't be the number of a series: `Series 2 par value $1`. */
const PLAIN_AMOUNT = `(?:${CURRENCY}[$€£¥₪]? ?${NUMBER}|[$€£¥₪] ?${NUMBER}|\\d{0,12}\\.\\d{1,12})`
const EACH = '(?:,? ?(?:per|a) (?:ordinary |common )?share\\b|,? each\\b)?'

// `par value $0.01 per share`, `$.01 par value`, `$0.01 per share par value`, `no par value`, `$5 par`, `par $1`.
const PAR_VALUE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?:(?:of|with|having)(?: a)? )?(?:${PLAIN_AMOUNT}${EACH} par\\b(?: val(?:ue)?\\b)?|` +
    `(?:no|without|zero) par\\b(?: val(?:ue)?\\b)?|par val(?:ue)?\\b|par(?= ?${PLAIN_AMOUNT})))` +
    `(?:[ ,:]{0,3}(?:of |is )?${AMOUNT}(?!(?!per )[\\p{L}\\p{N}%]))?${EACH}`,
  'gu',
)

/**
 * Returns the same text for titles of the same security: without case, spaces, punctuation and par value, `share` and
 * `stock` being one word. Letters of classes and series stay, so it also is the key of a class.
 */
export function comparableTitle(title: string): string {
  const words = title.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  const unvalued = words.includes('par') ? words.replace(PAR_VALUE, ' ') : words
  const letters = unvalued.replace(/\b(?:shares?|stocks?)\b/g, 'stock').replace(/[^\p{L}\p{N}]+/gu, '')
  return letters === '' ? words : letters
}
