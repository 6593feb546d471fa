import { type Address, type Hex, protocolOf } from '@dexfeed/dex'
import { wordOf } from '../world/events.ts'

/** The ticks of a pool by their numbers; null: it has none, and reverts. */
export type TicksAt = (pool: Address) => ReadonlyMap<number, { gross: bigint; net: bigint }> | null

/** An eth_call without a recipient. */
export interface CodeCall {
  data: Hex
  gas?: Hex
}

/** What nodes give where nothing is said (geth `--rpc.gascap`). */
const MOST_GAS = 50_000_000
/** As measured with Uniswap V3's pool: what a scan begins with and keeps for its end, and what each reading takes. */
const GAS = { start: 416_000, word: 2_900, tick: 18_000 }
const MOST_BYTES = 24_576
const RANGE_BYTES = 32
const RECORD_BYTES = 39
const TICKS_PER_WORD = 256
const MARK = '00746b73'
const FAILED = 2

/**
 * The answer of a node that runs the code by which the indexer reads many ticks of pools of Uniswap V3 and its forks
 * (`packages/dex/src/tick-scan`), as far as the gas reaches; '0x': other code, of which there is nothing to run here.
 */
export function answerScan({ data, gas }: CodeCall, ticksAt: TicksAt): Hex {
  const program = protocolOf('uniswap-v3').state?.ticks?.scan?.program
  if (program === undefined || !data.startsWith(program)) return '0x'
  const ranges = data.slice(program.length).match(new RegExp(`.{${2 * RANGE_BYTES}}`, 'g')) ?? []
  let left = Math.min(gas === undefined ? MOST_GAS : Number(gas), MOST_GAS) - GAS.start
  const records: string[] = []
  const answer = (range: number, position: number): Hex =>
    `0x${MARK}${number(range, 2)}${number(position, 4)}${records.join('')}`
  const hasRoom = (cost: number) => {
    left -= cost
    return left >= 0 && (records.length + 1) * RECORD_BYTES < MOST_BYTES
  }
  for (const [index, text] of ranges.entries()) {
    const { pool, from, until, spacing } = rangeIn(text)
    const ticks = ticksAt(pool)
    if (ticks === null) {
      if (!hasRoom(GAS.word)) return answer(index, from)
      records.push(`${number(index, 2)}${number(FAILED, 1)}${number(from, 4)}${wordOf(0n)}`)
      continue
    }
    const positions = [...ticks.keys()].map((tick) => tick / spacing).sort((a, b) => a - b)
    for (let word = from; word < until; word = (Math.floor(word / TICKS_PER_WORD) + 1) * TICKS_PER_WORD) {
      if (!hasRoom(GAS.word)) return answer(index, word)
      const end = (Math.floor(word / TICKS_PER_WORD) + 1) * TICKS_PER_WORD
      for (const position of positions.filter((one) => one >= word && one < end)) {
        if (!hasRoom(GAS.tick)) return answer(index, position)
        const { gross, net } = ticks.get(position * spacing) ?? { gross: 0n, net: 0n }
        const packed = (BigInt.asUintN(128, net) << 128n) | gross
        records.push(`${number(index, 2)}${number(0, 1)}${number(position, 4)}${wordOf(packed)}`)
      }
    }
  }
  return answer(ranges.length, 0)
}

/** target (20) from (4) until (4) spacing (4) */
function rangeIn(text: string): { pool: Address; from: number; until: number; spacing: number } {
  const at = (byte: number) => Number.parseInt(text.slice(2 * byte, 2 * byte + 8), 16) | 0
  return { pool: `0x${text.slice(0, 40)}`, from: at(20), until: at(24), spacing: at(28) }
}

function number(value: number, bytes: number): string {
  return wordOf(BigInt(value)).slice(-2 * bytes)
}
