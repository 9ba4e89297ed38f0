// What the package `insider-trading-client` exports: the client, the check of webhooks, the error, and the types of
// the contract under their short names.
import type { components } from '../contract.ts'

type Schemas = components['schemas']

export { InsiderClient } from './insider-client.ts'
export { InsiderApiError, type InsiderErrorCode } from './errors.ts'
export type { Change, FollowOptions } from './stream.ts'
export type { CallOptions, ClientOptions, ResponseFacts } from './transport.ts'
export type { Data, OperationId, Query } from './operations.ts'
export { verifyWebhook, WebhookVerificationError, type WebhookEvent } from './webhook.ts'

export type Transaction = Schemas['Transaction']
export type TransactionDetail = Schemas['TransactionDetail']
export type Signal = Schemas['Signal']
export type SignalDetail = Schemas['SignalDetail']
export type Alert = Schemas['Alert']
export type AlertSettings = Schemas['AlertSettings']
export type CompanyProfile = Schemas['CompanyProfile']
export type InsiderProfile = Schemas['InsiderProfile']
export type Filing = Schemas['Filing']
export type FilingDetail = Schemas['FilingDetail']
