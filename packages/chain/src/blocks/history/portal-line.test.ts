import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { PortalLineReader } from './portal-line.ts'

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((of) => `0x${Buffer.from(of).toString('hex')}`)
const log = fc.record({
  logIndex: fc.nat(),
  transactionIndex: fc.nat(500),
  transactionHash: fc.oneof(fc.constant(`0x${'5a'.repeat(32)}`), hex(32)),
  address: fc.oneof(fc.constant(`0x${'0b'.repeat(20)}`), hex(20)),
  topics: fc.array(hex(32), { maxLength: 4 }),
  data: fc.nat(100).chain(hex),
})
const line = fc.record(
  {
    header: fc.record({ number: fc.nat(), hash: hex(32), timestamp: fc.nat() }),
    transactions: fc.array(fc.record({ transactionIndex: fc.nat(500), hash: hex(32), value: fc.constant('0x0') })),
    logs: fc.array(log, { maxLength: 6 }),
  },
  { requiredKeys: ['header'] },
)

function outcome(reader: PortalLineReader, text: string): unknown {
  try {
    return reader.read(text)
  } catch (error) {
    return (error as Error).name
  }
}

it('a line is read from its text as it is read by a parser', () => {
  const reader = new PortalLineReader()
  fc.assert(
    fc.property(line, (of) => {
      const { logs = [], header, transactions } = of
      expect(reader.read(JSON.stringify(of))).toEqual({ header, transactions, logs })
      // Spaces force the parser.
      expect(reader.read(JSON.stringify(of, null, 1))).toEqual({ header, transactions, logs })
    }),
  )
})

it('with any other content', () => {
  const reader = new PortalLineReader()
  const character = fc.constantFrom(...'"\\{}[],:0x19aG-. ', '"logs":[],', ',"a":"\\"]}"', 'é')
  fc.assert(
    fc.property(line, fc.nat(), fc.nat(2), character, (of, place, cut, put) => {
      const text = JSON.stringify(of)
      const at = place % (text.length + 1)
      const changed = text.slice(0, at) + put + text.slice(at + cut)
      // A leading space forces the parser.
      expect(outcome(reader, changed)).toEqual(outcome(reader, ` ${changed}`))
    }),
    { numRuns: 600 * inject('scale') },
  )
})

const LOG = {
  logIndex: 7,
  transactionIndex: 3,
  transactionHash: `0x${'5a'.repeat(32)}`,
  address: `0x${'0b'.repeat(20)}`,
  topics: [`0x${'70'.repeat(32)}`],
  data: '0x01',
}

it.each<[string, object]>([
  ['numbers as text', { logIndex: '0x7', transactionIndex: '3' }],
  ['digits in upper case', { address: LOG.address.toUpperCase().replace('X', 'x'), data: '0x01' }],
  ['fields that were not requested', { removed: false, more: [{ of: 'them', and: null }] }],
])('%s are read alike', (_, change) => {
  const text = JSON.stringify({ header: {}, logs: [{ ...LOG, ...change }, LOG] })
  expect(new PortalLineReader().read(text).logs).toEqual([LOG, LOG])
})

it.each<[string, string]>([
  [
    'of two lists the last',
    `{"header":{},"logs":[${JSON.stringify({ ...LOG, logIndex: 8 })}],"logs":[${JSON.stringify(LOG)}]}`,
  ],
  ['after a text with quotes', `{"note":"\\",\\"logs\\":[]","header":{},"logs":[${JSON.stringify(LOG)}]}`],
])('logs are those %s', (_, text) => {
  expect(new PortalLineReader().read(text).logs).toEqual([LOG])
})

it.each(['logIndex', 'transactionIndex', 'transactionHash', 'address', 'topics', 'data'])(
  'a log without its %s is refused',
  (name) => {
    const text = JSON.stringify({ header: {}, logs: [{ ...LOG, [name]: undefined }] })
    expect(() => new PortalLineReader().read(text)).toThrow(`log.${name}`)
  },
)
