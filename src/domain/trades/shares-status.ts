export type SharesStatus = 'as_filed' | 'suspect'
