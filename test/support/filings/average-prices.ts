// Wordings of footnotes of a price, as filers have them, and what they say: an average, the lowest and the highest price.

/** A price that the wording's range contains. */
export const priceOf = ([, , low]: (typeof WORDINGS)[number]): string => low ?? '10.2'

export const WORDINGS: [text: string, isAverage: boolean, low: string | null, high: string | null][] = [
  [
    'Represents the weighted average sale price. These shares were sold in multiple transactions at prices ranging from ' +
      '$72.1600 to $73.1500 inclusive. The reporting person undertakes to provide full information upon request.',
    ...([true, '72.16', '73.15'] as const),
  ],
  [
    'The price reported in Column 4 is a weighted-average price. The shares were sold in multiple transactions ranging ' +
      'from $10.00 to $10.45, inclusive.',
    ...([true, '10', '10.45'] as const),
  ],
  [
    'The price reported is an average weighted price, sold at prices ranging from $2,556.63 to $2,557.63.',
    ...([true, '2556.63', '2557.63'] as const),
  ],
  [
    'This transaction was executed in multiple trades at prices ranging from $205.1 to $206.09; the price reported ' +
      'above reflects the weighted average sale price.',
    ...([true, '205.1', '206.09'] as const),
  ],
  [
    'This transaction was executed in multiple trades ranging from $287.1576 to $291.8576 per share.',
    ...([true, '287.1576', '291.8576'] as const),
  ],
  [
    'The shares were sold in multiple transactions at prices ranging from $9.60 per share to $9.70 per share.',
    ...([true, '9.6', '9.7'] as const),
  ],
  [
    'The price is a weighted average of the multiple trades that took place on 5/11/2020. The lowest price at which ' +
      'the shares were sold was $12.50 and the highest price was $12.685.',
    ...([true, '12.5', '12.685'] as const),
  ],
  ['Purchased at prices between $4.01 and $4.25.', true, '4.01', '4.25'],
  ['Price range: $4.01 - $4.25', true, '4.01', '4.25'],
  ['Sold in the price range of US$ 4.01 \u2013 US$ 4.25', true, '4.01', '4.25'],
  ['Prices ranging from a low of $.98 to a high of $1.02.', true, '0.98', '1.02'],
  ['Weighted average. Prices ranged from $11.00 to $10.00.', true, '10', '11'],
  ['Sold at a weighted average price; prices from $1 to $2 on Monday, prices from $3 to $4 later.', true, '1', '4'],
  ['Weighted Average Price', true, null, null],
  [
    'A convenience conversion of the (weighted average) price of 46.89 BRL per share into U.S. dollars.',
    ...([true, null, null] as const),
  ],
  [
    'The weighted average trading price (EUR 13.70) of the shares. The trading range was EUR 13.50 to EUR 14.00.',
    ...([true, null, null] as const),
  ],
  ['Sold at prices ranging from 46.50 to 47.00 Canadian dollars.', true, null, null],
  // Of the transactions, or of the price alone.
  ['This transaction involves sale transactions from $12.05 to $12.81 per share.', true, '12.05', '12.81'],
  ['Executed in several trades from $4.01 through $4.25.', true, '4.01', '4.25'],
  ['Shares were purchased at $4.01 to $4.25 per share.', true, '4.01', '4.25'],
  ['Sold in lots at $4.01-$4.25', true, '4.01', '4.25'],
  ['The range of sale prices for the transactions reported was $30.00 to $30.25.', true, '30', '30.25'],
  ['The range of sale prices for the transactions reported was $15.00 to $15.045.', true, '15', '15.045'],
  ['Price range of the individual sales: $4.01-$4.25', true, '4.01', '4.25'],
  ['Range of prices: $4.01 to $4.25.', true, '4.01', '4.25'],
  ['Sold at prices ranging between 5.10 and 5.32, inclusive.', true, '5.1', '5.32'],
  ['Sold in transactions ranging between 4.01 and 4.25 per share.', true, '4.01', '4.25'],
  ['The selling price ranged from 4.01 to 4.25.', true, '4.01', '4.25'],
  ['The prices actually received ranged from $4.01 to $4.25.', true, '4.01', '4.25'],
  ['Transactions executed at prices from USD 4.01 to USD 4.25.', true, '4.01', '4.25'],
  ['The market prices at which the shares were sold ranged from $4.01 to $4.25.', true, '4.01', '4.25'],
  ['Sold in several trades. The high price was $4.25 and the low price was $4.01.', true, '4.01', '4.25'],
  ['Sold in multiple transactions with a low of $4.01 and a high of $4.25.', true, '4.01', '4.25'],
  ['Weighted average; $10.00 - $10.99 per share', true, '10', '10.99'],
  ['Weighted average price ($10.00 - $10.99).', true, '10', '10.99'],
  ['Weighted average price. $10.00 to $10.99', true, '10', '10.99'],
  ['Average price. Sold between $10.00 and $10.40.', true, '10', '10.4'],
  ['Average price. Sold between 10.00 and 10.40.', true, '10', '10.4'],
  ['Represents the average price. Actual prices were from $4.01 to $4.25.', true, '4.01', '4.25'],
  ['The average purchase price of the shares was $10.20.', true, null, null],
  ['Reflects the average purchase price of shares bought on May 2, 2026.', true, null, null],
  ['Average net sale price.', true, null, null],
  // Prices at which nobody needs to have traded.
  ['The 52-week range was $8.00 to $12.00.', false, null, null],
  ['The 52-week low was $8.00 and the 52-week high was $12.00.', false, null, null],
  ['The closing price that day ranged from $10.00 to $10.50.', false, null, null],
  ['Closing prices in May ranged between $10.00 and $10.50.', false, null, null],
  ['The trading range on the date of sale was $9.00 to $12.00.', false, null, null],
  ["The stock's price ranged from $9.00 to $12.00 over the quarter.", false, null, null],
  ['The market price of the common stock ranged from $9.00 to $12.00 in May.', false, null, null],
  ['The price of the common stock on the date of sale ranged from $9.00 to $12.00.', false, null, null],
  ['The shares traded between $9.00 and $12.00 that day.', false, null, null],
  ['Options with exercise prices ranging from $5.00 to $11.00.', false, null, null],
  ['The average price of the common stock over the 20 trading days before.', false, null, null],
  ['The average of the high and low prices of the common stock on May 2 was $10.20.', false, null, null],
  ['Bought at 85% of the average price.', false, null, null],
  ['Sold between 9.30 and 16.00 on May 2.', false, null, null],
  ['Sales of $1,000 to $2,000 of stock are exempt.', false, null, null],
  // Not the price of these shares, or not in dollars.
  ['The 20-day volume-weighted average price of the common stock, set by the plan.', false, null, null],
  ['The vesting ranges from 0% to 200% of the target.', false, null, null],
  ['The exercise price was changed from $10 to $5.', false, null, null],
  ['Issued at a price of $2.02 and $0.83518 for warrants.', false, null, null],
  ['Bought in a private transaction at $10.00.', false, null, null],
  ['See footnotes ranging from 1 to 27.', false, null, null],
  ['Sold at prices ranging from $10.00 to', false, null, null],
]
