export type Holding = 'direct' | 'spouse' | 'personal' | 'entity' | 'unnamed'
