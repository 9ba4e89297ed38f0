// Descriptions of the rules: when each signal is raised, what research says for it, and what it is not. Made from the
// thresholds, so that they are true for whatever the operator has set; the API document has them for the defaults.
import { SIGNAL_TYPES, type ExclusionReason, type SignalType } from '../signal.ts'
import type { ClusterRule, SignalRules, Steps } from '../rule-thresholds.ts'

interface RuleDescription {
  /** When the signal is raised and how severe it is. */
  text: string
  /** What research has found that supports it, or that there is none. */
  research: string
  /** What the signal is not. */
  limits: string
}

/** Describes what is true of every signal. */
export const ABOUT_SIGNALS =
  'A signal is a pattern in filings, found by a fixed rule that uses only what had been filed by then. It is neither' +
  ' a forecast nor advice to buy or sell. It does not know why somebody traded, and takes the filings at their word.' +
  ' People sell for many reasons that have nothing to do with the company: taxes, diversification, buying a house.' +
  ' What studies found are averages over thousands of trades of past decades, mostly before costs; a single trade may' +
  ' go either way.'

/** Explains why a transaction near a signal does not count towards it. */
export const EXCLUSION_TEXTS: Record<ExclusionReason, string> = {
  superseded: 'An amendment that had been filed by then replaced it.',
  duplicate: 'Another filing reports the same trade, which counts once.',
  contradictory_code: 'Its acquired/disposed mark contradicts its code.',
  issuer_itself: 'The company itself traded.',
  suspect_price: 'The price was too high to be true when it was filed.',
  foreign_price: 'The security trades abroad, so the price may be in another currency.',
  other_unit: 'The price is not in US dollars for one unit of the security.',
  suspect_shares: 'The holdings in the filing contradict the number of shares.',
  no_price: 'The filing gives no price above 0.',
  plan: 'It was made under a 10b5-1 plan, so it was decided on long before.',
  ten_percent_owner: 'All its owners are 10 % owners and neither officers nor directors.',
  other_cluster: 'It is part of another cluster.',
  below_minimum: 'All that the person traded is below the minimum that counts.',
}

/** Describes all rules with these thresholds. */
export function describeRules(rules: SignalRules): Record<SignalType, RuleDescription> {
  const text: Record<SignalType, string> = {
    cluster_buy: clusterRule(rules.cluster_buy, 'buy'),
    cluster_sell: clusterRule(rules.cluster_sell, 'sell'),
    unusual_size: unusualSizeRule(rules.unusual_size),
    ceo_trade: ceoTradeRule(rules.ceo_trade),
    reversal: reversalRule(rules.reversal),
  }
  const descriptions = SIGNAL_TYPES.map((type) => [type, { text: text[type], ...RESEARCH[type] }])
  return Object.fromEntries(descriptions) as Record<SignalType, RuleDescription>
}

/** Describes how a transaction is graded with these thresholds. */
export function describeSignificance({ significance: floors }: Pick<SignalRules, 'significance'>): string {
  return (
    'The significance of its size, or the highest severity among the signals of the transaction, which raises it by' +
    ' two steps at most.' +
    " Size is the sum of the filing's open-market trades in one direction: listed purchases or sales at a plausible" +
    ' price, not by the company itself. Purchases by officers or directors: medium from' +
    ` ${dollars(floors.buyMedium)}, high from ${dollars(floors.buyHigh)}, critical from` +
    ` ${dollars(floors.buyCritical)}.` +
    ` Their sales: medium from ${dollars(floors.sellMedium)}, high from ${dollars(floors.sellHigh)}. By owners of` +
    ' more than 10 % who are neither: one step lower. Everything else is low by size: trades under a 10b5-1 plan,' +
    ' routine trades (the insider traded in this calendar month in each of the three years before) and transactions' +
    ' of other types.'
  )
}

function clusterRule(rule: ClusterRule, verb: 'buy' | 'sell'): string {
  const days = count(rule.days, 'day')
  return (
    `At least ${rule.persons} persons ${verb} on the open market, each for ${dollars(rule.minimum)} or more in` +
    ` total, with at most ${days} between the first and the last trade date. Trades under a 10b5-1 plan don't count,` +
    ' nor do owners of more than 10 % who are neither officer nor director. The filing that completes it opens the' +
    ` cluster, whose window is ${days} from its earliest counted trade; later filings with trades in the window` +
    ' join it.' +
    ` Severity by persons: ${steps(rule.severities, String)}; high also for ${rule.persons} with` +
    ` ${rule.officersForHigh} or more officers among them, critical also for ${rule.personsForCriticalWithChief} or` +
    ` more with the CEO or CFO among them` +
    (rule.stepsDown > 0 ? `; and then ${count(rule.stepsDown, 'step')} lower.` : '.') +
    ` At most low if the total is below ${dollars(rule.lowBelow)}, medium below ${dollars(rule.mediumBelow)}, high` +
    ` below ${dollars(rule.highBelow)}.`
  )
}

function unusualSizeRule(rule: SignalRules['unusual_size']): string {
  const times = rule.ratios[0]!.from
  return (
    `A person trades ${dollars(rule.minimum)} or more on one day in one direction, not under a plan, and at least` +
    ` ${times} times the average of that person's earlier trades in that direction in the company, of which there` +
    ` must be ${rule.earlierTrades} or more. If there are fewer, the trade is compared with the company instead: it` +
    ` must be above the ${percent(rule.percentile)}th percentile of all persons' trades in that direction in the` +
    ` ${count(rule.companyYears, 'year')} before, of which there must be ${rule.companyTrades} or more. Trades under` +
    ` a plan raise no signal but count as history. Severity by how many times the average:` +
    ` ${steps(rule.ratios, String)}; ${rule.percentileSeverity} by percentile.`
  )
}

function ceoTradeRule({ buy, sell }: SignalRules['ceo_trade']): string {
  return (
    `The CEO buys for ${dollars(buy[0]!.from)} or more on one day, or sells, not under a plan, for` +
    ` ${dollars(sell[0]!.from)} or more. Co-, interim and acting CEOs count; former ones and those of subsidiaries do` +
    ` not. Severity of a buy: ${steps(buy, dollars)}. Of a sale: ${steps(sell, dollars)}.`
  )
}

function reversalRule(rule: SignalRules['reversal']): string {
  return (
    `A trade in the opposite direction to ${rule.against} or more earlier ones of the same person in the company` +
    ` within ${count(rule.againstMonths, 'month')}, with none in its own direction in the last ${rule.noneOwnMonths}.` +
    ` Trades under a plan raise no signal but count as history. Severity: ${rule.buy} for a buy, ${rule.sell} for a` +
    ` sale; one step higher if ${percent(rule.oppositeShare)} % or more of the last ${rule.lastTrades} trades` +
    ` (${rule.leastTrades} at least) were opposite, and another from ${dollars(rule.stepUpFrom)}.`
  )
}

const RESEARCH: Record<SignalType, Omit<RuleDescription, 'text'>> = {
  cluster_buy: {
    research:
      'The best supported of the five. Studies agree that purchases say more than sales (Jeng, Metrick and' +
      ' Zeckhauser 1999; Lakonishok and Lee 2001), and purchases by several insiders close together were followed by' +
      ' abnormal returns of more than 2 % in the next month (Alldredge and Blank 2019).',
    limits:
      'How many persons within how many days is a choice: services use anything from 2 within a week to 3 within' +
      ' a month. Insiders may also buy together because an offering is open to them, or because a period in which' +
      ' they may not trade has just ended.',
  },
  cluster_sell: {
    research:
      'Weak, which is why it is graded lower than a cluster of purchases. Most studies find nothing in sales; in one,' +
      ' sequences of sales predicted lower returns (Biggerstaff, Cicero and Wintoki), and in a Korean one clusters of' +
      ' sales preceded crashes.',
    limits:
      'Shares often vest for many on one day, and sales in the market to pay the tax on them are reported like' +
      ' any other. Sales under a plan are left out where the filing says so; before April 2023 there was no box to' +
      ' tick, and a filing that says nothing is taken as not under a plan.',
  },
  unusual_size: {
    research:
      'No clear evidence: a larger trade is not known to be a stronger signal. The reason to compare a trade with its' +
      " insider's own habit is that trades out of the routine earned 82 basis points a month while routine ones" +
      ' earned nothing (Cohen, Malloy and Pomorski 2012); their test is the calendar month, though, not the size.',
    limits:
      'History begins with the filings that are loaded here. A large sale may follow an option that would have' +
      ' expired, and the signal does not show how much the insider still holds.',
  },
  ceo_trade: {
    research:
      'No clear evidence. Top executives did no better than others (Jeng, Metrick and Zeckhauser 1999).' +
      ' Purchases of CFOs were followed by more than those of CEOs, 7.4 against 2.4 % in 12 months (Wang, Shin and' +
      ' Francis 2012, on 1992 to 2002), a lead that shrank later (Knewtson and Nofsinger 2014).',
    limits:
      "Included because users ask for it, not because it is known to be worth more than another officer's trade." +
      ' Who is CEO is read from the title as filed.',
  },
  reversal: {
    research:
      'Indirect only: trades out of the routine said more than routine ones (Cohen, Malloy and Pomorski 2012),' +
      ' and so did those of insiders who trade unexpectedly (Akbas, Jiang and Koch). We know of no study of this' +
      ' exact rule.',
    limits:
      'A first sale after years of buying may be no more than a wish to spread risk. Only trades that were filed' +
      ' and are loaded here count as earlier ones, so with a short history it is rarely raised.',
  },
}

const dollars = (amount: number): string => `$${String(amount).replace(/\B(?=(\d{3})+$)/g, ',')}`
const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
/** Converts a share of 1 to percent, without the tail that floating point leaves. */
const percent = (share: number): string => String(Number((share * 100).toFixed(4)))
const steps = (list: Steps, format: (from: number) => string): string =>
  list.map(({ from, severity }) => `${severity} from ${format(from)}`).join(', ')
