"""Client of the Insider Trading Data Service: SEC Form 4 insider transactions, signals and alerts.

One file for Python 3.8 and newer that needs nothing but the standard library. Each service serves the one that fits it:

    curl -O http://localhost:8080/docs/insider_trading.py

    from insider_trading import Client

    client = Client("http://localhost:8080")
    for trade in client.feed_all(filter="buys", minValue=250_000):
        print(trade["filingDate"], trade["ticker"], trade["insiderName"], trade["totalValue"])

Answers are the dictionaries of the contract, typed for checkers such as mypy; parameters have the contract's names.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import base64
import binascii
import gzip
import hashlib
import hmac
import http.client
import json
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from contextlib import closing
from datetime import date, datetime, timezone
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generator,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

if TYPE_CHECKING:
    from typing_extensions import Literal, Unpack
else:
    from typing import Literal

__all__ = ["Client", "InsiderApiError", "ResponseFacts", "WebhookVerificationError", "verify_webhook"]

_One = Union[str, int, float, date, datetime]
#: What a parameter takes: a text, a number, a day or an instant with a zone; or several, which are sent with commas.
Value = Union[_One, Sequence[_One]]

# --- types of the contract: generated, see make contract ---

Severity = Literal["critical", "high", "medium", "low"]


class ListFeedQuery(TypedDict, total=False):
    filter: Literal["buys", "sells", "high", "ceo_cfo"]
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    transactionTypes: Value
    transactionCodes: Value
    roles: Value
    sectors: Value
    ownership: Literal["direct", "indirect", "unknown"]
    plan10b51: Value
    routine: Literal["yes", "no"]
    late: Literal["true", "false"]
    firstBuyInYears: int
    minSignificance: Severity
    minValue: Value
    maxValue: Value
    minShares: Value
    maxShares: Value
    minHoldingChange: Value
    maxHoldingChange: Value
    filedFrom: Value
    filedTo: Value
    tradedFrom: Value
    tradedTo: Value
    sort: Literal["newest", "value", "holdingChange"]
    asOf: Value
    cursor: Value
    limit: int
    detail: Literal["full"]


TransactionType = Literal[
    "buy",
    "sell",
    "award",
    "exercise",
    "conversion",
    "tax_withholding",
    "gift",
    "issuer_disposition",
    "tender",
    "inheritance",
    "small_acquisition",
    "expiration",
    "plan_transaction",
    "voting_trust",
    "swap",
    "other",
]


class CoOwner(TypedDict):
    cik: str
    name: str
    roles: List[Literal["director", "officer", "tenPercentOwner", "other"]]
    title: str


class LinkedNotice(TypedDict):
    accessionNumber: str
    units: float


class _TransactionDetail(TypedDict):
    accessionNumber: str
    transactionCode: str
    acquiredDisposed: Literal["A", "D", ""]
    ownership: Literal["direct", "indirect", "unknown"]
    tradeDate: str
    tradeDateStatus: Literal["plausible", "doubtful", "impossible"]
    sharesOwnedAfter: Optional[float]
    sharesStatus: Literal["as_filed", "suspect"]
    priceStatus: Literal["as_filed", "zero", "footnote_only", "suspect", "foreign", "other_unit"]
    filingDateBasis: Literal["accepted", "filed-date", "signature", "period", "unknown"]
    plan10b51: Literal["yes", "no", "unknown"]
    planSource: Literal["box", "footnote", "none"]
    ambiguousAmendment: bool
    issuerCik: str
    insiderCik: str
    form: Literal["4", "4/A"]
    securityTitle: str
    sector: str
    routine: bool
    holdingChange: Optional[float]
    holdingChangeKind: Literal["changed", "new", "closed", "unknown"]
    businessDaysToFile: Optional[int]
    late: Optional[bool]
    isWeightedAverage: bool
    lowPrice: Optional[float]
    highPrice: Optional[float]
    coOwners: List[CoOwner]
    firstBuyInYears: Optional[int]
    previousBuyDate: Optional[str]
    url: Optional[str]


class TransactionDetail(_TransactionDetail, total=False):
    notices: List[LinkedNotice]
    planAdoptedOn: str
    planAdoptedSource: str
    return1w: Optional[float]
    return1m: Optional[float]
    return6m: Optional[float]


class _Transaction(TypedDict):
    id: str
    ticker: str
    companyName: str
    insiderName: str
    insiderTitle: str
    transactionType: TransactionType
    shares: float
    pricePerShare: float
    totalValue: float
    filingDate: str
    significance: Severity
    signals: List[str]


class Transaction(_Transaction, total=False):
    detail: TransactionDetail


class _FeedPage(TypedDict):
    transactions: List[Transaction]
    hasMore: bool


class FeedPage(_FeedPage, total=False):
    nextCursor: str


class GetFeedAtomQuery(TypedDict, total=False):
    filter: Literal["buys", "sells", "high", "ceo_cfo"]
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    transactionTypes: Value
    transactionCodes: Value
    roles: Value
    sectors: Value
    ownership: Literal["direct", "indirect", "unknown"]
    plan10b51: Value
    routine: Literal["yes", "no"]
    late: Literal["true", "false"]
    firstBuyInYears: int
    minSignificance: Severity
    minValue: Value
    maxValue: Value
    minShares: Value
    maxShares: Value
    minHoldingChange: Value
    maxHoldingChange: Value
    filedFrom: Value
    filedTo: Value
    tradedFrom: Value
    tradedTo: Value
    sort: Literal["newest", "value", "holdingChange"]
    asOf: Value
    cursor: Value
    limit: int


class GetFeedCsvQuery(TypedDict, total=False):
    filter: Literal["buys", "sells", "high", "ceo_cfo"]
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    transactionTypes: Value
    transactionCodes: Value
    roles: Value
    sectors: Value
    ownership: Literal["direct", "indirect", "unknown"]
    plan10b51: Value
    routine: Literal["yes", "no"]
    late: Literal["true", "false"]
    firstBuyInYears: int
    minSignificance: Severity
    minValue: Value
    maxValue: Value
    minShares: Value
    maxShares: Value
    minHoldingChange: Value
    maxHoldingChange: Value
    filedFrom: Value
    filedTo: Value
    tradedFrom: Value
    tradedTo: Value
    sort: Literal["newest", "value", "holdingChange"]
    asOf: Value
    cursor: Value
    limit: int
    detail: Literal["full"]


SignalType = Literal["cluster_buy", "cluster_sell", "unusual_size", "ceo_trade", "reversal"]


class Signal(TypedDict):
    id: str
    type: SignalType
    severity: Severity
    ticker: str
    companyName: str
    description: str
    insiderCount: int
    totalValue: float
    detectedAt: str


class FeedStatistics(TypedDict):
    topSignals: List[Signal]
    topBuys: List[Transaction]
    topSells: List[Transaction]


class ExportFeedQuery(TypedDict, total=False):
    format: Literal["jsonl", "csv"]
    filter: Literal["buys", "sells", "high", "ceo_cfo"]
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    transactionTypes: Value
    transactionCodes: Value
    roles: Value
    sectors: Value
    ownership: Literal["direct", "indirect", "unknown"]
    plan10b51: Value
    routine: Literal["yes", "no"]
    late: Literal["true", "false"]
    firstBuyInYears: int
    minSignificance: Severity
    minValue: Value
    maxValue: Value
    minShares: Value
    maxShares: Value
    minHoldingChange: Value
    maxHoldingChange: Value
    filedFrom: Value
    filedTo: Value
    tradedFrom: Value
    tradedTo: Value
    asOf: Value
    detail: Literal["full"]


class ListCompaniesQuery(TypedDict, total=False):
    tickers: Value
    asOf: Value


class CompanySummary(TypedDict):
    cik: str
    ticker: str
    name: str
    exchange: str
    sector: str
    totalBuys: int
    totalSells: int
    netSentiment: int
    lastFilingDate: Optional[str]


class CompanySummaries(TypedDict):
    companies: List[CompanySummary]
    unknown: List[str]


class GetCompanyQuery(TypedDict, total=False):
    detail: Literal["full"]
    asOf: Value


class TopInsider(TypedDict):
    cik: str
    name: str
    title: str
    totalBuys: int
    totalSells: int
    totalValue: float
    lastTransactionDate: Optional[str]


class LateFilings(TypedDict):
    count: int
    of: int
    share: Optional[float]


class _CompanyProfile(TypedDict):
    ticker: str
    name: str
    exchange: str
    sector: str
    totalBuys: int
    totalSells: int
    netSentiment: int
    recentTransactions: List[Transaction]
    topInsiders: List[TopInsider]


class CompanyProfile(_CompanyProfile, total=False):
    lateFilings: LateFilings


class ListHoldersQuery(TypedDict, total=False):
    limit: int
    asOf: Value


class PositionOwner(TypedDict):
    cik: str
    name: str


PositionConfidence = Optional[Literal["high", "medium", "low"]]


class Holder(TypedDict):
    owners: List[PositionOwner]
    direct: Optional[float]
    indirect: Optional[float]
    total: Optional[float]
    confidence: PositionConfidence
    staleSince: Optional[str]


class HeldClass(TypedDict):
    securityTitle: str
    total: float
    holderCount: int
    holders: List[Holder]


class CompanyHolders(TypedDict):
    cik: str
    ticker: str
    name: str
    complete: bool
    classes: List[HeldClass]


class GetInsiderQuery(TypedDict, total=False):
    detail: Literal["full"]
    asOf: Value


class InsiderCompany(TypedDict):
    ticker: str
    companyName: str
    title: str
    totalBuys: int
    totalSells: int
    lastTransactionDate: Optional[str]


class InsiderStats(TypedDict):
    totalBuys: int
    totalSells: int


class InsiderRecordSignals(TypedDict):
    critical: int
    high: int
    medium: int
    low: int


class _ReturnAverage(TypedDict):
    n: int
    average: Optional[float]


class ReturnAverage(_ReturnAverage, total=False):
    benchmark: Optional[float]
    benchmarkN: int


class ReturnAverages(TypedDict):
    return1w: ReturnAverage
    return1m: ReturnAverage
    return6m: ReturnAverage


class SideReturns(TypedDict):
    buys: ReturnAverages
    sells: ReturnAverages


class _InsiderRecord(TypedDict):
    firstTradeDate: Optional[str]
    buys: int
    sells: int
    medianBuyValue: Optional[float]
    medianSellValue: Optional[float]
    planShare: Optional[float]
    routineShare: Optional[float]
    medianDaysToFile: Optional[float]
    signals: InsiderRecordSignals


class InsiderRecord(_InsiderRecord, total=False):
    returns: SideReturns


class _InsiderProfile(TypedDict):
    cik: str
    name: str
    titles: List[str]
    companies: List[InsiderCompany]
    stats: InsiderStats
    recentTransactions: List[Transaction]


class InsiderProfile(_InsiderProfile, total=False):
    lateFilings: LateFilings
    record: InsiderRecord


class ListPositionsQuery(TypedDict, total=False):
    asOf: Value


class NothingOwned(TypedDict):
    evidenceDay: str
    accessionNumber: str
    filingDate: str
    confidence: Literal["high", "low"]
    staleSince: Optional[str]


PositionStatus = Literal["exact", "gap", "carried", "old", "ended", "exited", "expired"]


class PositionLine(TypedDict):
    securityTitle: str
    ownership: Literal["direct", "indirect"]
    natureOfOwnership: Optional[str]
    units: Optional[float]
    value: Optional[float]
    status: PositionStatus
    gapUnits: Optional[float]
    since: str
    staleSince: Optional[str]
    evidenceDay: str
    accessionNumber: str
    filingDate: str
    sharedWith: List[PositionOwner]
    disclaimed: bool
    unitsAdjusted: Optional[float]
    splitSince: Optional[str]
    overlapping: bool


class PositionClass(TypedDict):
    securityTitle: str
    direct: Optional[float]
    indirect: Optional[float]
    total: Optional[float]
    confidence: PositionConfidence
    staleSince: Optional[str]
    lines: List[PositionLine]


class DerivativePosition(TypedDict):
    securityTitle: str
    ownership: Literal["direct", "indirect"]
    natureOfOwnership: Optional[str]
    units: Optional[float]
    value: Optional[float]
    status: PositionStatus
    gapUnits: Optional[float]
    since: str
    staleSince: Optional[str]
    evidenceDay: str
    accessionNumber: str
    filingDate: str
    sharedWith: List[PositionOwner]
    disclaimed: bool
    exercisePrice: Optional[float]
    expirationDate: Optional[str]
    underlyingTitle: Optional[str]
    underlyingUnits: Optional[float]


class InsiderPosition(TypedDict):
    issuerCik: str
    ticker: str
    companyName: str
    openedBefore: Optional[str]
    exitedSince: Optional[str]
    nothingOwned: NothingOwned
    classes: List[PositionClass]
    derivatives: List[DerivativePosition]


class InsiderPositions(TypedDict):
    cik: str
    name: str
    complete: bool
    companies: List[InsiderPosition]


GetSentimentQuery = TypedDict(
    "GetSentimentQuery",
    {
        "ticker": "Value",
        "sector": "Value",
        "interval": "Literal['day', 'week', 'month', 'quarter']",
        "by": "Literal['filed', 'traded']",
        "from": "Value",
        "to": "Value",
        "plan10b51": "Value",
        "routine": "Literal['yes', 'no']",
        "roles": "Value",
        "asOf": "Value",
    },
    total=False,
)


class SentimentPoint(TypedDict):
    start: str
    buys: int
    sells: int
    buyers: int
    sellers: int
    sharesBought: float
    sharesSold: float
    buyValue: float
    sellValue: float
    netValue: float
    shareRatio: Optional[float]
    valueRatio: Optional[float]
    personRatio: Optional[float]


class Sentiment(TypedDict):
    ticker: Optional[str]
    sector: Optional[str]
    interval: Literal["day", "week", "month", "quarter"]
    by: Literal["filed", "traded"]
    points: List[SentimentPoint]


RankingMeasure = Literal["buyValue", "sellValue", "netValue", "buyers", "sellers", "buys", "sells"]


class GetRankingsQuery(TypedDict, total=False):
    of: Literal["companies", "insiders"]
    by: RankingMeasure
    days: int
    to: Value
    asOf: Value
    sectors: Value
    roles: Value
    plan10b51: Value
    routine: Literal["yes", "no"]
    minValue: Value
    limit: int


class RankedCompany(TypedDict):
    rank: int
    cik: str
    ticker: str
    companyName: str
    buys: int
    sells: int
    buyers: int
    sellers: int
    buyValue: float
    sellValue: float
    netValue: float
    lastTransactionDate: Optional[str]


class RankedInsider(TypedDict):
    rank: int
    cik: str
    name: str
    title: str
    ticker: str
    companyName: str
    buys: int
    sells: int
    buyValue: float
    sellValue: float
    netValue: float
    lastTransactionDate: Optional[str]


_Rankings = TypedDict(
    "_Rankings",
    {
        "of": "Literal['companies', 'insiders']",
        "by": "RankingMeasure",
        "from": "str",
        "to": "str",
    },
)


class Rankings(_Rankings, total=False):
    companies: List[RankedCompany]
    insiders: List[RankedInsider]


class SearchQuery(TypedDict, total=False):
    q: Value
    kinds: Value
    limit: int


SearchMatch = Literal["ticker", "name"]


class FoundCompany(TypedDict):
    kind: Literal["company"]
    cik: str
    ticker: str
    name: str
    exchange: str
    matched: SearchMatch


class FoundInsider(TypedDict):
    kind: Literal["insider"]
    cik: str
    name: str
    title: str
    ticker: str
    companyName: str
    matched: SearchMatch


SearchResult = Union[FoundCompany, FoundInsider]


class SearchResults(TypedDict):
    results: List[SearchResult]


class ListSignalsQuery(TypedDict, total=False):
    type: SignalType
    severity: Severity
    minSeverity: Severity
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    sectors: Value
    detectedFrom: Value
    detectedTo: Value
    filedFrom: Value
    filedTo: Value
    asOf: Value
    cursor: Value
    limit: int


class _SignalPage(TypedDict):
    signals: List[Signal]
    hasMore: bool


class SignalPage(_SignalPage, total=False):
    nextCursor: str


class GetSignalsAtomQuery(TypedDict, total=False):
    type: SignalType
    severity: Severity
    minSeverity: Severity
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    sectors: Value
    detectedFrom: Value
    detectedTo: Value
    filedFrom: Value
    filedTo: Value
    asOf: Value
    cursor: Value
    limit: int


ClusterThresholdsSeverity = TypedDict(
    "ClusterThresholdsSeverity",
    {
        "from": "float",
        "severity": "Severity",
    },
)


class ClusterThresholds(TypedDict):
    persons: int
    minimum: float
    days: int
    severities: List[ClusterThresholdsSeverity]
    officersForHigh: int
    personsForCriticalWithChief: int
    lowBelow: float
    mediumBelow: float
    highBelow: float
    stepsDown: int


UnusualSizeThresholdsRatio = TypedDict(
    "UnusualSizeThresholdsRatio",
    {
        "from": "float",
        "severity": "Severity",
    },
)


class UnusualSizeThresholds(TypedDict):
    minimum: float
    ratios: List[UnusualSizeThresholdsRatio]
    earlierTrades: int
    percentile: float
    companyTrades: int
    companyYears: int
    percentileSeverity: Severity


CeoTradeThresholdsBuy = TypedDict(
    "CeoTradeThresholdsBuy",
    {
        "from": "float",
        "severity": "Severity",
    },
)


CeoTradeThresholdsSell = TypedDict(
    "CeoTradeThresholdsSell",
    {
        "from": "float",
        "severity": "Severity",
    },
)


class CeoTradeThresholds(TypedDict):
    buy: List[CeoTradeThresholdsBuy]
    sell: List[CeoTradeThresholdsSell]


class ReversalThresholds(TypedDict):
    against: int
    againstMonths: int
    noneOwnMonths: int
    buy: Severity
    sell: Severity
    oppositeShare: float
    lastTrades: int
    leastTrades: int
    stepUpFrom: float


SignalThresholds = Union[ClusterThresholds, UnusualSizeThresholds, CeoTradeThresholds, ReversalThresholds]


class _SignalRule(TypedDict):
    type: SignalType
    text: str
    research: str
    limits: str
    thresholds: SignalThresholds


class SignalRule(_SignalRule, total=False):
    returns: SideReturns


class SignalRulesSignificance(TypedDict):
    buyMedium: float
    buyHigh: float
    buyCritical: float
    sellMedium: float
    sellHigh: float


class SignalRules(TypedDict):
    version: str
    about: str
    rules: List[SignalRule]
    personMonths: int
    significance: SignalRulesSignificance
    significanceText: str


class GetSignalQuery(TypedDict, total=False):
    detail: Literal["full"]


class SignalInsider(TypedDict):
    cik: str
    name: str


class ClusterEvidence(TypedDict):
    kind: Literal["cluster"]
    officers: int
    withCeoOrCfo: bool


class OwnMeanEvidence(TypedDict):
    kind: Literal["own_mean"]
    meanValue: float
    earlierTrades: int
    ratio: float


class PercentileEvidence(TypedDict):
    kind: Literal["percentile"]
    percentileValue: float
    companyTrades: int


class CeoEvidence(TypedDict):
    kind: Literal["ceo"]


class ReversalEvidence(TypedDict):
    kind: Literal["reversal"]
    oppositeTrades: int
    lastTrades: int
    lastOpposite: int


SignalEvidence = Union[ClusterEvidence, OwnMeanEvidence, PercentileEvidence, CeoEvidence, ReversalEvidence]


class LeftOutTransaction(TypedDict):
    transaction: Transaction
    reason: Literal[
        "superseded",
        "duplicate",
        "contradictory_code",
        "issuer_itself",
        "suspect_price",
        "foreign_price",
        "other_unit",
        "suspect_shares",
        "no_price",
        "plan",
        "ten_percent_owner",
        "other_cluster",
        "below_minimum",
    ]


class SignalState(TypedDict):
    at: str
    accessionNumber: str
    severity: Severity
    insiderCount: int
    totalValue: float


class AppliedRule(TypedDict):
    madeBy: str
    version: str
    text: str
    thresholds: SignalThresholds


class SignalDetail(TypedDict):
    signal: Signal
    status: Literal["holding", "ended"]
    endedAt: Optional[str]
    changedAt: str
    firstTradeDate: str
    lastTradeDate: str
    insiders: List[SignalInsider]
    evidence: SignalEvidence
    counted: List[Transaction]
    leftOut: List[LeftOutTransaction]
    history: List[SignalState]
    rule: AppliedRule


class ListFilingsQuery(TypedDict, total=False):
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    forms: Value
    filedFrom: Value
    filedTo: Value
    cursor: Value
    limit: int


Form = Literal["3", "3/A", "4", "4/A", "5", "5/A"]


FilingDateBasis = Literal["accepted", "filed-date", "signature", "period", "unknown"]


class NamedOwner(TypedDict):
    cik: str
    name: str


class Filing(TypedDict):
    accessionNumber: str
    form: Form
    filingDate: str
    filingDateBasis: FilingDateBasis
    issuerCik: str
    ticker: str
    companyName: str
    owners: List[NamedOwner]
    transactions: int
    url: Optional[str]


class _FilingPage(TypedDict):
    filings: List[Filing]
    hasMore: bool


class FilingPage(_FilingPage, total=False):
    nextCursor: str


class FilingIssuer(TypedDict):
    cik: str
    name: str
    ticker: str
    tickerAsFiled: Optional[str]


class FilingOwner(TypedDict):
    cik: str
    name: str
    title: str
    isDirector: Optional[bool]
    isOfficer: Optional[bool]
    isTenPercentOwner: Optional[bool]
    isOther: Optional[bool]
    officerTitle: Optional[str]
    otherText: Optional[str]


class CellFootnotes(TypedDict, total=False):
    row: List[str]
    securityTitle: List[str]
    conversionPrice: List[str]
    tradeDate: List[str]
    deemedExecutionDate: List[str]
    transactionFormType: List[str]
    transactionCode: List[str]
    equitySwap: List[str]
    timeliness: List[str]
    shares: List[str]
    pricePerShare: List[str]
    totalValue: List[str]
    acquiredDisposed: List[str]
    exerciseDate: List[str]
    expirationDate: List[str]
    underlyingTitle: List[str]
    underlyingShares: List[str]
    underlyingValue: List[str]
    sharesOwnedAfter: List[str]
    valueOwnedAfter: List[str]
    ownership: List[str]
    natureOfOwnership: List[str]


class _FilingDecision(TypedDict):
    status: Literal["listed", "superseded", "duplicate", "withdrawn"]
    supersededBy: Optional[str]
    supersededAt: Optional[str]
    duplicateOf: Optional[str]
    transactionType: TransactionType
    totalValue: float
    priceStatus: Literal["as_filed", "zero", "footnote_only", "suspect", "foreign", "other_unit"]
    significance: Severity
    signals: List[str]


class FilingDecision(_FilingDecision, total=False):
    notices: List[LinkedNotice]


class FilingRow(TypedDict):
    kind: Literal["transaction", "holding"]
    place: Optional[int]
    securityTitle: str
    tradeDate: Optional[str]
    deemedExecutionDate: Optional[str]
    transactionFormType: Optional[str]
    transactionCode: Optional[str]
    equitySwap: Optional[bool]
    timeliness: Optional[str]
    shares: Optional[float]
    pricePerShare: Optional[float]
    acquiredDisposed: Optional[Literal["A", "D"]]
    sharesOwnedAfter: Optional[float]
    valueOwnedAfter: Optional[float]
    ownership: Optional[Literal["direct", "indirect"]]
    natureOfOwnership: Optional[str]
    footnotes: Optional[CellFootnotes]
    id: Optional[str]
    decision: Optional[FilingDecision]


class DerivativeRow(TypedDict):
    kind: Literal["transaction", "holding"]
    place: Optional[int]
    securityTitle: str
    tradeDate: Optional[str]
    deemedExecutionDate: Optional[str]
    transactionFormType: Optional[str]
    transactionCode: Optional[str]
    equitySwap: Optional[bool]
    timeliness: Optional[str]
    shares: Optional[float]
    pricePerShare: Optional[float]
    acquiredDisposed: Optional[Literal["A", "D"]]
    sharesOwnedAfter: Optional[float]
    valueOwnedAfter: Optional[float]
    ownership: Optional[Literal["direct", "indirect"]]
    natureOfOwnership: Optional[str]
    footnotes: Optional[CellFootnotes]
    conversionPrice: Optional[float]
    exerciseDate: Optional[str]
    expirationDate: Optional[str]
    underlyingTitle: Optional[str]
    underlyingShares: Optional[float]
    underlyingValue: Optional[float]
    totalValue: Optional[float]


class Footnote(TypedDict):
    id: str
    text: str


class FilingSignature(TypedDict):
    name: str
    date: Optional[str]


class FilingDetail(TypedDict):
    accessionNumber: str
    form: Form
    source: Literal["document", "data_set"]
    complete: bool
    repaired: bool
    url: Optional[str]
    filingDate: str
    filingDateBasis: FilingDateBasis
    seenAt: Optional[str]
    withdrawnAt: Optional[str]
    periodOfReport: Optional[str]
    schemaVersion: Optional[str]
    dateOfOriginalSubmission: Optional[str]
    amends: List[str]
    amendedBy: List[str]
    plan10b51Box: Optional[bool]
    notSubjectToSection16: Optional[bool]
    noSecuritiesOwned: Optional[bool]
    issuer: FilingIssuer
    owners: List[FilingOwner]
    nonDerivative: List[FilingRow]
    derivative: Optional[List[DerivativeRow]]
    footnotes: Optional[List[Footnote]]
    remarks: Optional[str]
    signatures: Optional[List[FilingSignature]]


class ListNoticesQuery(TypedDict, total=False):
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    minValue: Value
    plan: Literal["yes", "not_stated"]
    state: Value
    filedFrom: Value
    filedTo: Value
    asOf: Value
    cursor: Value
    limit: int


class NoticeSeller(TypedDict):
    cik: str
    name: str
    relationships: List[str]
    roles: List[Literal["officer", "director", "tenPercent", "former", "other"]]


NoticeState = Literal["open", "partly", "fulfilled", "not_reported", "not_expected", "replaced"]


class Notice(TypedDict):
    accessionNumber: str
    form: Literal["144", "144/A"]
    filingDate: str
    filingDateBasis: FilingDateBasis
    issuerCik: str
    ticker: str
    companyName: str
    seller: NoticeSeller
    units: Optional[int]
    marketValue: Optional[float]
    pricePerUnit: Optional[float]
    valueStatus: Literal["plausible", "suspect", "unreadable"]
    securityTitles: List[str]
    saleDate: Optional[str]
    saleDateStatus: Literal["plausible", "suspect", "unreadable"]
    plan10b51: Literal["yes", "not_stated"]
    planSource: Literal["field", "remarks", "none"]
    planAdoptionDates: List[str]
    state: NoticeState
    linkedBy: Optional[Literal["cik", "holder", "name"]]
    reportedUnits: float
    windowEnd: str
    windowOpen: bool
    firstSale: Optional[str]
    lastSale: Optional[str]
    unitsDiffer: bool
    group: Optional[str]
    previous: Optional[str]
    replacedBy: Optional[str]
    url: Optional[str]


class _NoticePage(TypedDict):
    notices: List[Notice]
    hasMore: bool


class NoticePage(_NoticePage, total=False):
    nextCursor: str


class GetNoticeQuery(TypedDict, total=False):
    asOf: Value


class NoticeLine(TypedDict):
    securityTitle: str
    units: Optional[int]
    marketValue: Optional[float]
    pricePerUnit: Optional[float]
    valueStatus: Literal["plausible", "suspect", "unreadable"]
    unitsOutstanding: Optional[int]
    saleDate: Optional[str]
    saleDateStatus: Literal["plausible", "suspect", "unreadable"]
    exchange: Optional[str]
    broker: Optional[str]


NoticeAcquisition = TypedDict(
    "NoticeAcquisition",
    {
        "securityTitle": "str",
        "acquiredDate": "Optional[str]",
        "nature": "Optional[str]",
        "from": "Optional[str]",
        "gift": "Optional[bool]",
        "donorAcquiredDate": "Optional[str]",
        "units": "Optional[int]",
        "paymentDate": "Optional[str]",
        "payment": "Optional[str]",
    },
)


class NoticePastSale(TypedDict):
    seller: str
    securityTitle: str
    saleDate: Optional[str]
    units: Optional[int]
    grossProceeds: Optional[float]


class NoticeSale(TypedDict):
    transactionId: str
    accessionNumber: str
    units: float


class NoticeDetail(TypedDict):
    accessionNumber: str
    form: Literal["144", "144/A"]
    filingDate: str
    filingDateBasis: FilingDateBasis
    issuerCik: str
    ticker: str
    companyName: str
    seller: NoticeSeller
    units: Optional[int]
    marketValue: Optional[float]
    pricePerUnit: Optional[float]
    valueStatus: Literal["plausible", "suspect", "unreadable"]
    securityTitles: List[str]
    saleDate: Optional[str]
    saleDateStatus: Literal["plausible", "suspect", "unreadable"]
    plan10b51: Literal["yes", "not_stated"]
    planSource: Literal["field", "remarks", "none"]
    planAdoptionDates: List[str]
    state: NoticeState
    linkedBy: Optional[Literal["cik", "holder", "name"]]
    reportedUnits: float
    windowEnd: str
    windowOpen: bool
    firstSale: Optional[str]
    lastSale: Optional[str]
    unitsDiffer: bool
    group: Optional[str]
    previous: Optional[str]
    replacedBy: Optional[str]
    url: Optional[str]
    lines: List[NoticeLine]
    acquisitions: List[NoticeAcquisition]
    pastSales: List[NoticePastSale]
    contradictoryPastSales: bool
    remarks: Optional[str]
    noticeDate: Optional[str]
    sales: List[NoticeSale]


DatasetName = Literal[
    "transactions",
    "transaction-versions",
    "signals",
    "filings",
    "derivatives",
    "holdings",
    "balances",
    "notices",
    "symbols",
    "companies",
]


class ExportedSummary(TypedDict):
    dataset: DatasetName
    row: str
    files: int
    rows: int
    bytes: int
    changedAt: Optional[str]
    url: str


class ExportedDatasets(TypedDict):
    madeAt: Optional[str]
    position: Optional[str]
    datasets: List[ExportedSummary]


class ExportedColumn(TypedDict):
    name: str
    type: str
    description: str


class ExportedFile(TypedDict):
    period: str
    complete: bool
    rows: int
    bytes: int
    sha256: str
    revision: str
    changedAt: str
    url: str
    pinnedUrl: str


class ExportedDataset(TypedDict):
    dataset: DatasetName
    row: str
    schemaVersion: int
    madeAt: str
    position: str
    columns: List[ExportedColumn]
    files: List[ExportedFile]


class ListChangesQuery(TypedDict, total=False):
    after: Value
    types: Value
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    transactionTypes: Value
    transactionCodes: Value
    roles: Value
    sectors: Value
    ownership: Literal["direct", "indirect", "unknown"]
    plan10b51: Value
    routine: Literal["yes", "no"]
    late: Literal["true", "false"]
    firstBuyInYears: int
    minSignificance: Severity
    minValue: Value
    maxValue: Value
    minShares: Value
    maxShares: Value
    minHoldingChange: Value
    maxHoldingChange: Value
    minSeverity: Severity
    limit: int


class _TransactionChangeData(TypedDict):
    ticker: str
    issuerCik: str
    companyName: str
    accessionNumber: str
    transactions: List[Transaction]


class TransactionChangeData(_TransactionChangeData, total=False):
    superseded: List[str]
    removed: List[str]
    omitted: int


class TransactionChange(TypedDict):
    cursor: str
    id: str
    type: Literal["transaction.created", "transaction.amended", "transaction.changed"]
    at: str
    data: TransactionChangeData


class _SignalChangeData(TypedDict):
    signal: Signal


class SignalChangeData(_SignalChangeData, total=False):
    status: Literal["holds", "ended"]


class SignalChange(TypedDict):
    cursor: str
    id: str
    type: Literal["signal.detected", "signal.escalated", "signal.changed"]
    at: str
    data: SignalChangeData


class _DataSetChangeData(TypedDict):
    reason: Literal["quarter", "sectors", "company_list", "old_filings", "recovered", "signals", "rebuild", "restore"]


class DataSetChangeData(_DataSetChangeData, total=False):
    periods: List[str]
    issuerCiks: List[str]


class DataSetChange(TypedDict):
    cursor: str
    id: str
    type: Literal["dataset.changed"]
    at: str
    data: DataSetChangeData


Change = Union[TransactionChange, SignalChange, DataSetChange]


class ChangePage(TypedDict):
    changes: List[Change]
    hasMore: bool
    nextCursor: str


class StreamChangesQuery(TypedDict, total=False):
    after: Value
    types: Value
    tickers: Value
    issuerCiks: Value
    insiderCiks: Value
    transactionTypes: Value
    transactionCodes: Value
    roles: Value
    sectors: Value
    ownership: Literal["direct", "indirect", "unknown"]
    plan10b51: Value
    routine: Literal["yes", "no"]
    late: Literal["true", "false"]
    firstBuyInYears: int
    minSignificance: Severity
    minValue: Value
    maxValue: Value
    minShares: Value
    maxShares: Value
    minHoldingChange: Value
    maxHoldingChange: Value
    minSeverity: Severity


class IngestionLag1(TypedDict):
    p50: float
    p95: float


IngestionLag = Optional[IngestionLag1]


class IndexedForm(TypedDict):
    form: Literal["3", "3/A", "4", "4/A", "5", "5/A", "144", "144/A"]
    filed: int
    listed: int


class IndexedDay(TypedDict):
    date: str
    filed: int
    listed: int
    forms: Optional[List[IndexedForm]]


class WorkPace(TypedDict):
    phase: str
    rows: int
    totalRows: int
    rowsPerSecond: Optional[int]
    secondsLeft: Optional[int]


OptionalWorkPace = Optional[WorkPace]


class WorkProgress(TypedDict):
    done: int
    total: Optional[int]
    pace: OptionalWorkPace


class UpgradeProgress(TypedDict):
    done: int
    total: Optional[int]
    pace: OptionalWorkPace
    waits: List[Literal["rules"]]


class ServiceJob(TypedDict):
    kind: str
    status: Literal["queued", "running", "cancelling"]
    done: int
    total: Optional[int]
    pace: OptionalWorkPace


class ServiceStatus(TypedDict):
    version: str
    revision: Optional[str]
    contract: str
    follows: bool
    invented: bool
    newestFilingAt: Optional[str]
    lagSeconds: IngestionLag
    silent: bool
    historyFrom: Optional[str]
    days: List[IndexedDay]
    filling: Optional[WorkProgress]
    upgrade: Optional[UpgradeProgress]
    jobs: List[ServiceJob]


class ListWatchlistQuery(TypedDict, total=False):
    detail: Literal["full"]


class WatchedWebhook(TypedDict):
    host: str
    status: Literal["active", "failing", "disabled"]
    since: Optional[str]
    reason: Optional[str]


class _WatchedCompany(TypedDict):
    ticker: str
    addedAt: str


class WatchedCompany(_WatchedCompany, total=False):
    detail: bool
    notices: bool
    webhook: Optional[WatchedWebhook]


class Watchlist(TypedDict):
    companies: List[WatchedCompany]


class _WatchlistAddition(TypedDict):
    ticker: str


class WatchlistAddition(_WatchlistAddition, total=False):
    webhookUrl: Optional[str]
    detail: bool
    notices: bool


class _WatchlistEntry(TypedDict):
    ticker: str
    addedAt: str


class WatchlistEntry(_WatchlistEntry, total=False):
    webhookUrl: str
    detail: Literal[True]
    notices: Literal[True]
    warning: str


DeliveryStatus = Literal["waiting", "delivered", "dead"]


class ListDeliveriesQuery(TypedDict, total=False):
    status: DeliveryStatus
    ticker: Value
    alertId: Value
    cursor: Value
    limit: int


class DeliveryAttempt(TypedDict):
    number: int
    at: str
    milliseconds: int
    status: Optional[int]
    error: Optional[str]


class Delivery(TypedDict):
    id: str
    event: Literal[
        "transaction.created",
        "transaction.amended",
        "signal.detected",
        "signal.escalated",
        "notice.created",
        "test",
    ]
    ticker: Optional[str]
    alertId: Optional[str]
    host: str
    format: Literal["standard", "slack", "discord"]
    status: DeliveryStatus
    reason: Optional[str]
    attempts: int
    createdAt: str
    nextAttemptAt: Optional[str]
    settledAt: Optional[str]
    lastAttempt: Optional[DeliveryAttempt]


class _DeliveryPage(TypedDict):
    deliveries: List[Delivery]
    hasMore: bool


class DeliveryPage(_DeliveryPage, total=False):
    nextCursor: str


class DeliveryAttemptDetail(TypedDict):
    number: int
    at: str
    milliseconds: int
    status: Optional[int]
    error: Optional[str]
    answer: Optional[str]


class DeliveryDetail(TypedDict):
    id: str
    event: Literal[
        "transaction.created",
        "transaction.amended",
        "signal.detected",
        "signal.escalated",
        "notice.created",
        "test",
    ]
    ticker: Optional[str]
    alertId: Optional[str]
    host: str
    format: Literal["standard", "slack", "discord"]
    status: DeliveryStatus
    reason: Optional[str]
    attempts: int
    createdAt: str
    nextAttemptAt: Optional[str]
    settledAt: Optional[str]
    lastAttempt: Optional[DeliveryAttempt]
    body: str
    attemptsMade: List[DeliveryAttemptDetail]


AlertEvent = Literal[
    "transaction.created",
    "transaction.amended",
    "signal.detected",
    "signal.escalated",
    "notice.created",
]


class AlertFilter(TypedDict, total=False):
    tickers: List[str]
    issuerCiks: List[str]
    insiderCiks: List[str]
    transactionTypes: List[TransactionType]
    transactionCodes: List[str]
    roles: List[Literal["officer", "director", "ten_percent_owner", "other", "ceo", "cfo"]]
    sectors: List[
        Literal["Technology", "Health Care", "Financials", "Real Estate", "Industrials", "Consumer Discretionary", "Consumer Staples", "Energy", "Materials", "Utilities", "Communications", "Unknown"],
    ]
    ownership: Literal["direct", "indirect", "unknown"]
    plan10b51: List[Literal["yes", "no", "unknown"]]
    routine: Literal["yes", "no"]
    late: bool
    firstBuyInYears: int
    minSignificance: Severity
    minValue: float
    maxValue: float
    minShares: float
    maxShares: float
    minHoldingChange: float
    maxHoldingChange: float


class _AlertDestination(TypedDict):
    url: str


class AlertDestination(_AlertDestination, total=False):
    format: Literal["standard", "slack", "discord"]


class AlertHealth(TypedDict):
    status: Literal["ok", "failing", "disabled"]
    since: Optional[str]
    lastError: Optional[str]


class _Alert(TypedDict):
    id: str
    name: str
    enabled: bool
    events: List[AlertEvent]
    filter: AlertFilter
    destination: AlertDestination
    detail: bool
    createdAt: str
    updatedAt: str
    lastMatchedAt: Optional[str]
    health: AlertHealth


class Alert(_Alert, total=False):
    signalTypes: List[SignalType]
    minSeverity: Severity


class AlertList(TypedDict):
    alerts: List[Alert]


class _AlertSettings(TypedDict):
    name: str
    destination: AlertDestination


class AlertSettings(_AlertSettings, total=False):
    enabled: bool
    events: List[AlertEvent]
    filter: AlertFilter
    signalTypes: List[SignalType]
    minSeverity: Severity
    detail: bool


class ListAlertMatchesQuery(TypedDict, total=False):
    days: int
    limit: int


class _AlertMatches(TypedDict):
    transactions: List[Transaction]
    signals: List[Signal]
    hasMore: bool


class AlertMatches(_AlertMatches, total=False):
    notices: List[Notice]


class MatchedAlert(TypedDict):
    kind: Literal["alert"]
    id: str
    name: str


class MatchedEntry(TypedDict):
    kind: Literal["watchlist"]
    ticker: str


class _TransactionCreatedEventData(TypedDict):
    ticker: str
    companyName: str
    accessionNumber: str
    transactions: List[Transaction]


class TransactionCreatedEventData(_TransactionCreatedEventData, total=False):
    omitted: int
    others: int
    matched: List[Union[MatchedAlert, MatchedEntry]]
    matchedOmitted: int


class TransactionCreatedEvent(TypedDict):
    id: str
    type: Literal["transaction.created"]
    createdAt: str
    data: TransactionCreatedEventData


class _TransactionAmendedEventData(TypedDict):
    ticker: str
    companyName: str
    accessionNumber: str
    transactions: List[Transaction]
    superseded: List[str]


class TransactionAmendedEventData(_TransactionAmendedEventData, total=False):
    omitted: int
    others: int
    matched: List[Union[MatchedAlert, MatchedEntry]]
    matchedOmitted: int


class TransactionAmendedEvent(TypedDict):
    id: str
    type: Literal["transaction.amended"]
    createdAt: str
    data: TransactionAmendedEventData


class _SignalEventData(TypedDict):
    signal: Signal


class SignalEventData(_SignalEventData, total=False):
    matched: List[Union[MatchedAlert, MatchedEntry]]
    matchedOmitted: int


class SignalDetectedEvent(TypedDict):
    id: str
    type: Literal["signal.detected"]
    createdAt: str
    data: SignalEventData


class SignalEscalatedEvent(TypedDict):
    id: str
    type: Literal["signal.escalated"]
    createdAt: str
    data: SignalEventData


class _NoticeCreatedEventData(TypedDict):
    notice: Notice


class NoticeCreatedEventData(_NoticeCreatedEventData, total=False):
    matched: List[Union[MatchedAlert, MatchedEntry]]
    matchedOmitted: int


class NoticeCreatedEvent(TypedDict):
    id: str
    type: Literal["notice.created"]
    createdAt: str
    data: NoticeCreatedEventData


class _TestEventData(TypedDict):
    message: str


class TestEventData(_TestEventData, total=False):
    ticker: str
    matched: List[Union[MatchedAlert, MatchedEntry]]


class TestEvent(TypedDict):
    id: str
    type: Literal["test"]
    createdAt: str
    data: TestEventData


WebhookEvent = Union[
    TransactionCreatedEvent,
    TransactionAmendedEvent,
    SignalDetectedEvent,
    SignalEscalatedEvent,
    NoticeCreatedEvent,
    TestEvent,
]

# --- end of what is generated ---

_RETRIES = 3
_TIMEOUT = 30.0
_FIRST_PAUSE = 0.5
_MAX_PAUSE = 8.0
#: Seconds. A service that asks for more is not waited for.
_MAX_RETRY_AFTER = 60.0
#: Seconds without a byte after which a stream counts as lost; the service sends something every 15.
_SILENCE = 45.0
_TOLERANCE = 300
#: As Standard Webhooks has it. Anyone can sign with an empty key, such as that of a setting that is missing.
_MIN_KEY_BYTES = 24
_PAGE = 100


class InsiderApiError(Exception):
    """A call that failed. Decide by ``code``: one of the contract, or ``connection_failed``, ``timed_out`` or
    ``unexpected_answer``."""

    def __init__(
        self,
        message: str,
        code: str,
        status: int = 0,
        request_id: Optional[str] = None,
        details: Sequence[Mapping[str, str]] = (),
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        #: The status of the answer; 0 if none came.
        self.status = status
        self.request_id = request_id
        self.details = list(details)
        #: Seconds after which the service asks to be called again, if it does.
        self.retry_after = retry_after


class WebhookVerificationError(Exception):
    """A delivery that must not be trusted."""


class ResponseFacts(NamedTuple):
    """What ``on_response`` receives of each attempt that was answered."""

    method: str
    path: str
    status: int
    request_id: Optional[str]
    #: What is left of the rate limit, as sent: ``"default";r=599;t=60``.
    rate_limit: Optional[str]
    #: Symbols asked for that lead to no company.
    unknown_tickers: List[str]
    #: 1 for the first.
    attempt: int
    seconds: float


class Client:
    """Asks the service at ``url``. ``api_key`` is needed for the watchlist, alerts, ``feed_export``, and for month files
    where the operator restricts them; it is sent to ``url`` and nowhere else. ``timeout`` is in seconds without a byte
    received, ``retries`` counts the attempts after the first."""

    def __init__(
        self,
        url: str,
        api_key: Optional[str] = None,
        *,
        retries: int = _RETRIES,
        timeout: float = _TIMEOUT,
        on_response: Optional[Callable[[ResponseFacts], None]] = None,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address must begin with http:// or https://")
        self._base = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._api_key = api_key
        self._retries = retries
        self._timeout = timeout
        self._on_response = on_response
        self._opener = urllib.request.build_opener(_NoRedirect)

    # Transactions

    def feed(self, **query: Unpack[ListFeedQuery]) -> FeedPage:
        """Returns one page of the feed, newest first."""
        return self._get("/v1/feed", query)

    def feed_all(self, **query: Unpack[ListFeedQuery]) -> Iterator[Transaction]:
        """Yields the transactions of all pages; each page is asked for when it is needed."""
        return self._pages("/v1/feed", "transactions", query)

    def feed_export(self, **query: Unpack[ExportFeedQuery]) -> Iterator[Transaction]:
        """Yields all transactions that pass a filter, newest first, from one answer. Raises InsiderApiError with
        ``connection_failed`` where it is cut short."""
        asked: Dict[str, Any] = dict(query, format="jsonl")
        path = "/v1/feed/export" + _query(asked)
        begun = time.monotonic()
        try:
            response = self._send("GET", path, {"Accept": "application/x-ndjson"}, None, self._timeout)
            with response:
                self._report("GET", path, response.status, response.headers, 1, begun)
                if response.status != 200:
                    raise _refusal(response.status, response.headers, _content(response))
                for line in _lines(response):
                    yield json.loads(line.decode("utf-8"))
        except _TRANSPORT_ERRORS as cause:
            raise _unanswered("GET", path, cause) from cause

    def feed_csv(self, **query: Unpack[GetFeedCsvQuery]) -> str:
        """Returns one page of the feed as CSV, with the names of the columns."""
        return self._text("/v1/feed.csv" + _query(query))

    def feed_atom(self, **query: Unpack[GetFeedAtomQuery]) -> str:
        """Returns one page of the feed as Atom."""
        return self._text("/v1/feed.atom" + _query(query))

    def feed_statistics(self) -> FeedStatistics:
        """Returns the strongest signals and the largest trades of the past 24 hours."""
        return self._get("/v1/feed/stats", {})

    # Companies and insiders

    def company(self, ticker: str, **query: Unpack[GetCompanyQuery]) -> CompanyProfile:
        """Returns a company by any of its symbols or its CIK."""
        return self._get("/v1/companies/" + _part(ticker), query)

    def companies(self, tickers: Value, asOf: Optional[Value] = None) -> CompanySummaries:
        """Returns up to 50 companies, each with its totals."""
        return self._get("/v1/companies", {"tickers": tickers, "asOf": asOf})

    def insider(self, cik: Union[str, int], **query: Unpack[GetInsiderQuery]) -> InsiderProfile:
        """Returns a person or firm by its CIK."""
        return self._get("/v1/insiders/" + _part(cik), query)

    def positions(self, cik: Union[str, int], **query: Unpack[ListPositionsQuery]) -> InsiderPositions:
        """Returns what a person or firm holds, by company."""
        return self._get("/v1/insiders/" + _part(cik) + "/positions", query)

    def holders(self, ticker: str, **query: Unpack[ListHoldersQuery]) -> CompanyHolders:
        """Returns how much the insiders of a company hold, by class."""
        return self._get("/v1/companies/" + _part(ticker) + "/holders", query)

    def sentiment(self, *, from_: Optional[str] = None, **query: Unpack[GetSentimentQuery]) -> Sentiment:
        """Returns open-market trades by interval: of a company, a sector, or all companies.

        `from_` is the parameter `from`, which Python has as a word of its own.
        """
        return self._get("/v1/sentiment", query if from_ is None else {**query, "from": from_})

    def rankings(self, **query: Unpack[GetRankingsQuery]) -> Rankings:
        """Returns companies or insiders by their open-market trades of the last days."""
        return self._get("/v1/rankings", query)

    def search(self, q: str, **query: Any) -> SearchResults:
        """Returns companies and insiders by words of their names, or by symbols."""
        return self._get("/v1/search", dict(query, q=q))

    # Signals

    def signals(self, **query: Unpack[ListSignalsQuery]) -> SignalPage:
        """Returns one page of signals, newest first."""
        return self._get("/v1/signals", query)

    def signals_all(self, **query: Unpack[ListSignalsQuery]) -> Iterator[Signal]:
        """Yields the signals of all pages."""
        return self._pages("/v1/signals", "signals", query)

    def signal(self, id: str, **query: Unpack[GetSignalQuery]) -> SignalDetail:
        """Returns one signal with its evidence."""
        return self._get("/v1/signals/" + _part(id), query)

    def signals_atom(self, **query: Unpack[GetSignalsAtomQuery]) -> str:
        """Returns one page of the signals as Atom."""
        return self._text("/v1/signals.atom" + _query(query))

    def signal_rules(self) -> SignalRules:
        """Returns the rules in use with their thresholds."""
        return self._get("/v1/signals/rules", {})

    # Filings

    def notices(self, **query: Unpack[ListNoticesQuery]) -> NoticePage:
        """Returns one page of notices of proposed sales, newest first."""
        return self._get("/v1/notices", query)

    def notices_all(self, **query: Unpack[ListNoticesQuery]) -> Iterator[Notice]:
        """Yields the notices of all pages."""
        return self._pages("/v1/notices", "notices", query)

    def notice(self, accession_number: str, **query: Unpack[GetNoticeQuery]) -> NoticeDetail:
        """Returns one notice with everything it says."""
        return self._get("/v1/notices/" + _part(accession_number), query)

    def filings(self, **query: Unpack[ListFilingsQuery]) -> FilingPage:
        """Returns one page of filings of all six forms, newest first."""
        return self._get("/v1/filings", query)

    def filings_all(self, **query: Unpack[ListFilingsQuery]) -> Iterator[Filing]:
        """Yields the filings of all pages."""
        return self._pages("/v1/filings", "filings", query)

    def filing(self, accession_number: str) -> FilingDetail:
        """Returns one filing with everything it says."""
        return self._get("/v1/filings/" + _part(accession_number), {})

    # Files

    def exports(self) -> ExportedDatasets:
        """Returns the datasets that there are as Parquet files."""
        return self._get("/v1/exports", {})

    def export(self, dataset: str) -> ExportedDataset:
        """Returns the columns and files of a dataset."""
        return self._get("/v1/exports/" + _part(dataset), {})

    def export_file(self, dataset: str, file: str, path: str) -> None:
        """Stores a file, such as ``2026-10.parquet``, under ``path``. Raises InsiderApiError where it is cut short; what
        lies at ``path`` is then not the file. Raises OSError where it cannot be written."""
        with closing(self._parts("/v1/exports/{}/{}".format(_part(dataset), _part(file)))) as parts:
            # Before the file is opened: a refusal leaves what lies there as it is.
            first = next(parts, b"")
            with open(path, "wb") as stored:
                stored.write(first)
                for part in parts:
                    stored.write(part)

    # Changes

    def changes(self, **query: Unpack[ListChangesQuery]) -> ChangePage:
        """Returns what changed after a position, oldest first; without ``after`` the present position."""
        return self._get("/v1/changes", query)

    def follow(
        self,
        *,
        after: Optional[Union[str, int]] = None,
        silence: float = _SILENCE,
        on_state: Optional[Callable[[str, Optional[Exception]], None]] = None,
        **query: Any,
    ) -> Generator[Change, None, None]:
        """Yields changes as they happen, each once, after ``after`` or from now on.

        A stream that is lost, or silent for ``silence`` seconds, is opened again after the last change that came.
        ``on_state`` is called with ``"live"`` and ``"away"``. Ends when it is closed. Raises InsiderApiError where the
        service refuses the stream: ``cursor_expired`` means that the data has to be loaded again.
        """
        position = None if after is None else str(after)
        failures = 0
        while True:
            error: Optional[Exception] = None
            stream = None
            try:
                stream = self._open_stream(query, position, silence)
                for event, id, data in _events(stream):
                    if id is not None:
                        position = id
                    if event == "ready":
                        failures = 0
                        if on_state:
                            on_state("live", None)
                    elif data:
                        change: Any = {"cursor": id}
                        change.update(json.loads(data))
                        yield change
            except InsiderApiError as refusal:
                if not _is_passing(refusal):
                    raise
                error = refusal
            except _TRANSPORT_ERRORS as fault:
                error = fault
            finally:
                if stream is not None:
                    stream.close()
            if error is not None:
                failures += 1
            if on_state:
                on_state("away", error)
            time.sleep(_pause(max(failures, 1), getattr(error, "retry_after", None)))

    # The service

    def status(self) -> ServiceStatus:
        """Returns how fresh and how complete the data is."""
        return self._get("/v1/status", {})

    # With an API key

    def watchlist(self, **query: Unpack[ListWatchlistQuery]) -> List[WatchedCompany]:
        """Returns the companies that the key watches; with ``detail="full"`` also how deliveries to their addresses
        go."""
        return self._get("/v1/watchlist", query)["companies"]

    def watch(
        self, ticker: str, webhook_url: Optional[str] = None, detail: bool = False, notices: bool = False
    ) -> WatchlistEntry:
        """Watches a company, or sets where its alerts are sent; without ``webhook_url`` they are sent nowhere. With
        ``detail`` transactions in its events have their details, and with ``notices`` notices of proposed sales raise
        alerts too."""
        body: Dict[str, Any] = {"ticker": ticker}
        if webhook_url is not None:
            body["webhookUrl"] = webhook_url
        if detail:
            body["detail"] = True
        if notices:
            body["notices"] = True
        return self._call("POST", "/v1/watchlist", body=body)

    def unwatch(self, ticker: str) -> None:
        """Stops watching a company."""
        self._call("DELETE", "/v1/watchlist/" + _part(ticker))

    def test_webhook(self, ticker: str) -> Delivery:
        """Sends a test event to the webhook address of an entry."""
        return self._call("POST", "/v1/watchlist/{}/test".format(_part(ticker)))

    def alerts(self) -> List[Alert]:
        """Returns the alerts of the key, newest first."""
        return self._get("/v1/alerts", {})["alerts"]

    def alert(self, id: str) -> Alert:
        return self._get("/v1/alerts/" + _part(id), {})

    def create_alert(self, settings: AlertSettings) -> Alert:
        """Creates an alert; not repeated where no answer came, since it may be there already."""
        return self._call("POST", "/v1/alerts", body=settings)

    def replace_alert(self, id: str, settings: AlertSettings) -> Alert:
        """Replaces everything that can be set of an alert."""
        return self._call("PUT", "/v1/alerts/" + _part(id), body=settings)

    def remove_alert(self, id: str) -> None:
        self._call("DELETE", "/v1/alerts/" + _part(id))

    def alert_matches(self, id: str, **query: Unpack[ListAlertMatchesQuery]) -> AlertMatches:
        """Returns what an alert would have matched in the past days."""
        return self._get("/v1/alerts/{}/matches".format(_part(id)), query)

    def test_alert(self, id: str) -> DeliveryDetail:
        """Sends a test message; returns the delivery with its attempt."""
        return self._call("POST", "/v1/alerts/{}/test".format(_part(id)))

    def deliveries(self, **query: Unpack[ListDeliveriesQuery]) -> DeliveryPage:
        """Returns one page of what was sent to the webhook addresses of the key, newest first."""
        return self._get("/v1/watchlist/deliveries", query)

    def deliveries_all(self, **query: Unpack[ListDeliveriesQuery]) -> Iterator[Delivery]:
        """Yields the deliveries of all pages."""
        return self._pages("/v1/watchlist/deliveries", "deliveries", query)

    def delivery(self, id: str) -> DeliveryDetail:
        """Returns one delivery with its body and attempts."""
        return self._get("/v1/watchlist/deliveries/" + _part(id), {})

    def resend(self, id: str) -> Delivery:
        """Sends a delivery again, with the same id."""
        return self._call("POST", "/v1/watchlist/deliveries/{}/resend".format(_part(id)))

    # How all of them call

    def _get(self, path: str, query: Mapping[str, Any]) -> Any:
        return self._call("GET", path + _query(query))

    def _text(self, path: str) -> str:
        return self._call("GET", path, is_text=True)

    def _parts(self, path: str) -> Generator[bytes, None, None]:
        """Yields the bytes of a file as they come. Raises InsiderApiError for what fails here, not where it is used."""
        begun = time.monotonic()
        try:
            response = self._send("GET", path, {"Accept": "*/*"}, None, self._timeout)
            with response:
                self._report("GET", path, response.status, response.headers, 1, begun)
                if response.status != 200:
                    raise _refusal(response.status, response.headers, _content(response))
                left = int(response.headers["Content-Length"])
                while left > 0:
                    part = response.read(min(left, 1 << 20))
                    if not part:
                        raise EOFError("the file ended too early")
                    left -= len(part)
                    yield part
        except _TRANSPORT_ERRORS as cause:
            raise _unanswered("GET", path, cause) from cause

    def _pages(self, path: str, name: str, query: Mapping[str, Any]) -> Iterator[Any]:
        asked: Dict[str, Any] = {"limit": _PAGE}
        asked.update(query)
        while True:
            page = self._get(path, asked)
            for each in page[name]:
                yield each
            if not page["hasMore"]:
                return
            asked["cursor"] = page["nextCursor"]

    def _call(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None, is_text: bool = False) -> Any:
        attempt = 1
        while True:
            try:
                return self._attempt(method, path, body, attempt, is_text)
            except InsiderApiError as error:
                # An attempt without an answer may have removed it.
                if method == "DELETE" and attempt > 1 and error.code in ("not_on_watchlist", "unknown_alert"):
                    return None
                if attempt > self._retries or not _is_passing(error):
                    raise
                # It may have created the alert too.
                if (method, path) == ("POST", "/v1/alerts") and error.status != 429:
                    raise
                pause = _pause(attempt, error.retry_after)
            time.sleep(pause)
            attempt += 1

    def _attempt(
        self, method: str, path: str, body: Optional[Mapping[str, Any]], attempt: int, is_text: bool
    ) -> Any:
        begun = time.monotonic()
        headers = {"Accept": "*/*" if is_text else "application/json", "Accept-Encoding": "gzip"}
        try:
            response = self._send(method, path, headers, body, self._timeout)
            with response:
                status, fields = response.status, response.headers
                content = _content(response)
        except InsiderApiError:
            raise
        except _TRANSPORT_ERRORS as cause:
            raise _unanswered(method, path, cause) from cause
        self._report(method, path, status, fields, attempt, begun)
        if status >= 300:
            raise _refusal(status, fields, content)
        if is_text:
            return content.decode("utf-8")
        answer = _json(content)
        if not isinstance(answer, dict) or answer.get("success") is not True:
            raise InsiderApiError("the answer is not that of an Insider Trading Data Service", "unexpected_answer", status)
        return answer.get("data")

    def _report(self, method: str, path: str, status: int, fields: Any, attempt: int, begun: float) -> None:
        if not self._on_response:
            return
        tickers = fields.get("X-Unknown-Tickers")
        facts = ResponseFacts(
            method,
            path,
            status,
            fields.get("X-Request-Id"),
            fields.get("RateLimit"),
            tickers.split(",") if tickers else [],
            attempt,
            time.monotonic() - begun,
        )
        self._on_response(facts)

    def _open_stream(self, query: Mapping[str, Any], position: Optional[str], silence: float) -> Any:
        headers = {"Accept": "text/event-stream"}
        if position is not None:
            headers["Last-Event-ID"] = position
        response = self._send("GET", "/v1/stream" + _query(query), headers, None, silence)
        if response.status == 200:
            return response
        with response:
            raise _refusal(response.status, response.headers, _content(response))

    def _send(
        self, method: str, path: str, headers: Dict[str, str], body: Optional[Mapping[str, Any]], timeout: float
    ) -> Any:
        data = None if body is None else json.dumps(body).encode("utf-8")
        if data is not None:
            headers["Content-Type"] = "application/json"
        elif method == "POST":
            data = b""
            headers["Content-Type"] = "application/json"
        if self._api_key is not None:
            headers["Authorization"] = "Bearer " + self._api_key
        headers["User-Agent"] = "insider-trading-python"
        request = urllib.request.Request(self._base + path, data=data, headers=headers, method=method)
        try:
            return self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            # An answer like any other; it has status, headers and a body to read.
            return error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the service sends none, and the key must reach no other host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_TRANSPORT_ERRORS = (OSError, http.client.HTTPException, EOFError, zlib.error)


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: str,
    *,
    now: Optional[float] = None,
    tolerance: int = _TOLERANCE,
) -> WebhookEvent:
    """Returns the event of a delivery whose signature and time are right, else raises WebhookVerificationError.

    ``body`` is the body as received, not parsed and written again; ``secret`` is what was shown when the key was
    issued. A delivery may come more than once: recognize it by the event's ``id``. Raises ValueError where the secret
    is missing or too short.
    """
    text = secret or ""
    key = _base64(text[len("whsec_") :] if text.startswith("whsec_") else text)
    if key is None or len(key) < _MIN_KEY_BYTES:
        raise ValueError("the secret must be whsec_ and base64 of at least {} bytes".format(_MIN_KEY_BYTES))
    fields = {name.lower(): value for name, value in headers.items()}
    id, at, signatures = (fields.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not (id and at and signatures):
        raise WebhookVerificationError("webhook-id, webhook-timestamp or webhook-signature is missing")
    present = time.time() if now is None else now
    if not (at.isascii() and at.isdigit() and len(at) <= 12) or abs(present - int(at)) > tolerance:
        raise WebhookVerificationError("webhook-timestamp is too far from the present time")
    content = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    signed = "{}.{}.".format(id, at).encode("utf-8") + content
    wanted = hmac.new(key, signed, hashlib.sha256).digest()
    for signature in signatures.split(" "):
        given = _base64(signature[3:]) if signature.startswith("v1,") else None
        if given is not None and hmac.compare_digest(given, wanted):
            event: WebhookEvent = json.loads(content.decode("utf-8"))
            return event
    raise WebhookVerificationError("no signature matches the body and the secret")


def _base64(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None


def _query(query: Mapping[str, Any]) -> str:
    """Returns the query; what is None is left out."""
    pairs = [(name, _text(value)) for name, value in query.items() if value is not None]
    return "?" + urllib.parse.urlencode(pairs, safe=",") if pairs else ""


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone, such as datetime.now(timezone.utc)")
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(_text(each) for each in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "{:.4f}".format(value).rstrip("0").rstrip(".")
    return str(value)


def _part(value: Any) -> str:
    return urllib.parse.quote(str(value), safe="")


def _content(response: Any) -> bytes:
    content: bytes = response.read()
    if response.headers.get("Content-Encoding") == "gzip":
        return gzip.decompress(content)
    return content


def _json(content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8"))
    except ValueError:
        raise InsiderApiError("the answer is not JSON", "unexpected_answer") from None


def _lines(response: Any) -> Iterator[bytes]:
    """Yields whole lines. Not by the response's own iterator: that takes a lost connection for the end."""
    rest = b""
    while True:
        part: bytes = response.read1(65536)
        if not part:
            break
        lines = (rest + part).split(b"\n")
        rest = lines.pop()
        for line in lines:
            yield line
    if rest:
        raise EOFError("the last line ended too early")


def _refusal(status: int, fields: Any, content: bytes) -> InsiderApiError:
    try:
        error = json.loads(content.decode("utf-8"))["error"]
        code, message, details = str(error["code"]), str(error["message"]), error.get("details") or []
    except (ValueError, KeyError, TypeError):
        code, message, details = "unexpected_answer", "status {}, and not an answer of this service".format(status), []
    after = fields.get("Retry-After") or ""
    seconds = float(after) if after.isascii() and after.isdigit() else None
    return InsiderApiError(_with_details(message, details), code, status, fields.get("X-Request-Id"), details, seconds)


def _with_details(message: str, details: Sequence[Mapping[str, str]]) -> str:
    """Adds what the message leaves out: it names the first faults of a request."""
    texts = [(str(each.get("path")), str(each.get("message"))) for each in details if isinstance(each, dict)]
    return "; ".join([message] + [_named(path, text) for path, text in texts if text not in message])


def _named(path: str, text: str) -> str:
    """Names the parameter, unless the text does."""
    return "{} {}".format(path, text) if text.startswith(("is ", "must ", "element ")) else text


def _unanswered(method: str, path: str, cause: Exception) -> InsiderApiError:
    reason = cause.reason if isinstance(cause, urllib.error.URLError) else cause
    what = "{} {}".format(method, path.partition("?")[0])
    if isinstance(reason, (socket.timeout, TimeoutError)):
        return InsiderApiError(what + ": no answer within the time limit", "timed_out")
    return InsiderApiError(what + ": the service cannot be reached", "connection_failed")


def _is_passing(error: InsiderApiError) -> bool:
    """Returns whether another attempt may succeed."""
    if error.status == 0:
        return error.code != "unexpected_answer"
    return (error.status in (408, 429) or error.status >= 500) and (error.retry_after or 0) <= _MAX_RETRY_AFTER


def _pause(attempt: int, retry_after: Optional[float]) -> float:
    """Returns what the service asks for, else half a second, doubled with each attempt, give or take a quarter."""
    if retry_after is not None:
        return retry_after
    doubled: float = min(_FIRST_PAUSE * 2 ** (attempt - 1), _MAX_PAUSE)
    return doubled * (0.75 + random.random() / 2)


def _events(stream: Any) -> Iterator[Tuple[str, Optional[str], str]]:
    """Yields name, id and data of each event that came whole."""
    event: str = "message"
    id: Optional[str] = None
    data: List[str] = []
    for line in stream:
        if not line.endswith(b"\n"):
            return
        text = line.decode("utf-8").rstrip("\r\n")
        if text == "":
            yield event, id, "\n".join(data)
            event, id, data = "message", None, []
            continue
        name, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            event = value
        elif name == "id":
            id = value
        elif name == "data":
            data.append(value)
