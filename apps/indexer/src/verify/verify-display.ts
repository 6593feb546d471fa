import { type BlockRange, countBlocks, SECOND } from '@dexfeed/dex'
import type { DayDifference } from '@dexfeed/store'
import type { CheckedStates, StateDifference } from './pool-states/state-checker.ts'
import type { CheckedPart, RowDifference } from './range-checker.ts'

export interface VerifyReport {
  onBegin(blocks: number): void
  onPart(part: CheckedPart): void
  onRepaired(differences: number): void
  onDay(difference: DayDifference, isRepaired: boolean): void
  onStates(checked: CheckedStates, isRepaired: boolean): void
  onUncovered(range: BlockRange): void
  note(text: string): void
}

const SHOWN = 100
/** Columns shown per pool, because a wrong pool may have hundreds of ticks. */
const SHOWN_COLUMNS = 5
const PROGRESS_MS = 2 * SECOND

interface DisplayStreams {
  out: { write(text: string): unknown }
  err: { write(text: string): unknown }
}

interface VerifyDisplay extends VerifyReport {
  end(isRight: boolean): void
}

interface Counts {
  blocks: number
  trades: number
  states: number
  differences: number
  repaired: number
  uncovered: number
}

export function verifyDisplay(network: string, { out, err }: DisplayStreams): VerifyDisplay {
  const counts: Counts = { blocks: 0, trades: 0, states: 0, differences: 0, repaired: 0, uncovered: 0 }
  let total = 0
  let shown = 0
  let last = performance.now()
  const line = (place: string, what: string, details: string) => {
    counts.differences++
    if (shown === 0) out.write(`${row('block', 'what', 'details')}\n`)
    shown++
    if (shown <= SHOWN) out.write(`${row(place, what, details)}\n`)
    else if (shown === SHOWN + 1) out.write('... more differences follow, which are only counted\n')
  }
  const progress = () => {
    if (performance.now() - last < PROGRESS_MS) return
    last = performance.now()
    err.write(`${network}: ${counts.blocks} of ${total} blocks compared, ${counts.differences} differences\n`)
  }
  return {
    onBegin(blocks) {
      total = blocks
    },
    onPart(part) {
      counts.blocks += countBlocks([part])
      counts.trades += part.trades
      if (part.outcome === 'repaired') counts.repaired += part.differences.length
      for (const difference of part.differences) {
        const details = `${detailsOf(difference)}${part.outcome === 'unsettled' ? ' (the nodes contradict each other)' : ''}`
        line(placeOf(difference), whatOf(difference), details)
      }
      progress()
    },
    onRepaired(differences) {
      counts.repaired += differences
    },
    onDay(difference, isRepaired) {
      if (isRepaired) counts.repaired++
      line(difference.day, difference.table, dayDetails(difference))
    },
    onStates({ compared, differences }, isRepaired) {
      counts.states += compared
      if (isRepaired) counts.repaired += differences.length
      for (const difference of differences) line(String(difference.blockNumber), 'pool state', stateDetails(difference))
      progress()
    },
    onUncovered({ from, to }) {
      counts.uncovered += countBlocks([{ from, to }])
      out.write(`${row(`${from} to ${to}`, 'not covered', 'no rows to compare: npm run backfill fills them in')}\n`)
    },
    note: (text) => err.write(`${network}: ${text}\n`),
    end(isRight) {
      out.write(`${network}: ${summary(counts, isRight)}\n`)
    },
  }
}

function summary({ blocks, trades, states, differences, repaired, uncovered }: Counts, isRight: boolean): string {
  const compared = `${blocks} blocks with ${trades} trades${states > 0 ? ` and ${states} pool states` : ''} compared`
  const gap = uncovered > 0 ? `, ${uncovered} blocks not covered` : ''
  if (differences === 0) return `${compared}${gap}, ${isRight ? 'equal' : 'no differences'}`
  return `${compared}${gap}, ${differences} differences, ${repaired} repaired`
}

function whatOf(difference: RowDifference): string {
  const isLiquidity = 'row' in difference && difference.row === 'liquidity'
  return isLiquidity ? `${difference.kind} liquidity` : difference.kind
}

function placeOf(difference: RowDifference): string {
  if (!('position' in difference)) return String(difference.blockNumber)
  const { blockNumber, transactionIndex, position } = difference
  return `${blockNumber} ${transactionIndex}/${position}`
}

function detailsOf(difference: RowDifference): string {
  const columns = difference.columns.map(({ name, stored, chain }) => `${name} ${stored} should be ${chain}`).join(', ')
  return 'txHash' in difference ? [difference.txHash, columns].filter(Boolean).join(' ') : columns
}

function dayDetails({ key, stored, counted }: DayDifference): string {
  return `${key === '' ? '' : `${key}: `}${stored ?? 'nothing'} should be ${counted ?? 'nothing'}`
}

function stateDetails({ pool, columns }: StateDifference): string {
  const shown = columns.slice(0, SHOWN_COLUMNS).map(({ name, stored, chain }) => `${name} ${stored} should be ${chain}`)
  const more = columns.length - shown.length
  return `${pool} ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function row(place: string, what: string, details: string): string {
  return `${place.padEnd(16)} ${what.padEnd(17)} ${details}`.trimEnd()
}
