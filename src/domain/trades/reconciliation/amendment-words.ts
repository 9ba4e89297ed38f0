export type AmendmentWord = 'removed' | 'repeated' | 'withdrawn'
