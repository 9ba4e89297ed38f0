// Reads the number of rows of a Parquet file from its footer: the third field of a struct in Thrift's compact protocol.

const ROWS_FIELD = 3
const [STOP, TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT] = [0, 1, 2, 3, 7, 8, 9, 10, 12]

/** Returns the number of rows. Throws if the bytes are not a complete Parquet file. */
export function rowsOfParquet(bytes: Buffer): number {
  const end = bytes.length - 8
  const isWhole = end > 4 && bytes.toString('latin1', 0, 4) === 'PAR1' && bytes.toString('latin1', end + 4) === 'PAR1'
  if (!isWhole) throw new Error('the answer of ClickHouse is not a Parquet file')
  const footer = { bytes, at: end - bytes.readUInt32LE(end) }
  for (let field = 0; ;) {
    const head = footer.bytes[footer.at++]!
    if (head === STOP) throw new Error('the Parquet file does not say how many rows it has')
    field = head >> 4 === 0 ? signed(footer) : field + (head >> 4)
    if (field === ROWS_FIELD) return signed(footer)
    skip(footer, head & 15)
  }
}

interface Place {
  bytes: Buffer
  at: number
}

function unsigned(place: Place): number {
  for (let value = 0, factor = 1; ; factor *= 128) {
    const byte = place.bytes[place.at++]!
    value += (byte & 127) * factor
    if (byte < 128) return value
  }
}

const signed = (place: Place): number => {
  const value = unsigned(place)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

function skip(place: Place, type: number): void {
  if (type === TRUE || type === FALSE) return
  if (type === BYTE) place.at += 1
  else if (type === DOUBLE) place.at += 8
  else if (type === BINARY) {
    const length = unsigned(place)
    place.at += length
  } else if (type === LIST || type === SET) skipList(place)
  else if (type === STRUCT) skipStruct(place)
  else unsigned(place)
}

function skipList(place: Place): void {
  const head = place.bytes[place.at++]!
  const size = head >> 4 === 15 ? unsigned(place) : head >> 4
  // In a list even true and false take a byte.
  const type = head & 15
  for (let each = 0; each < size; each += 1) skip(place, type === TRUE || type === FALSE ? BYTE : type)
}

function skipStruct(place: Place): void {
  for (let head = place.bytes[place.at++]!; head !== STOP; head = place.bytes[place.at++]!) {
    if (head >> 4 === 0) unsigned(place)
    skip(place, head & 15)
  }
}
