import type { Hex } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import type { Proof } from '../commitments/block-prover.ts'
import { judgeLog, type ShownBlock, type WrongEndpoint } from './reported-logs.ts'

const log = {
  blockNumber: 7,
  blockHash: '0x07',
  transactionHash: '0x01',
  transactionIndex: 0,
  logIndex: 0,
  address: '0x0a',
  topics: [],
  data: '0x01',
} as const
const shown = (kind: Proof['kind'], ...contents: Hex[]): ShownBlock => ({
  hash: '0x07',
  proof: kind === 'proven' ? { kind, receipts: 1 } : { kind, what: '' },
  logs: contents.map((data) => ({ ...log, data })),
})
const [HAS, LACKS] = [log.data, '0x02'] as const

it.each<[string, ShownBlock | null, ShownBlock | null, WrongEndpoint]>([
  ['the teller proves it', shown('proven', HAS), shown('unknown', LACKS), 'denier'],
  ['the teller proves that it is not there', shown('proven', LACKS), null, 'reporter'],
  ['the teller shows a false block', shown('false', HAS), shown('unknown', LACKS), 'reporter'],
  ['the denier proves that it is not there', shown('unknown', HAS), shown('proven', LACKS), 'reporter'],
  ['the denier proves it', shown('unknown', HAS), shown('proven', HAS), 'denier'],
  ['the denier shows a false block', shown('unknown', HAS), shown('false', LACKS), 'denier'],
  ['the denier has it in its receipt', shown('unknown', HAS), shown('unknown', LACKS, HAS), 'denier'],
  ['the teller does not have it in its receipt', shown('unknown', LACKS), shown('unknown', LACKS), 'reporter'],
  ['the denier shows no receipts', shown('unknown', HAS), null, 'denier'],
  ['each has receipts as it says', shown('unknown', HAS), shown('unknown', LACKS), null],
  ['neither shows receipts', null, null, null],
  ['the denier alone shows receipts, without it', null, shown('unknown', LACKS), null],
])('finds the endpoint that is wrong: %s', (_, byReporter, byDenier, wrong) => {
  expect(judgeLog(log, byReporter, byDenier)).toBe(wrong)
})
