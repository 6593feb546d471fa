import type { Proofs } from './show-block.ts'

interface FaultFacts {
  /** Numbers of its rows in docs/internals/faults.md. */
  rows: string
  /**
   * The requests whose responses show it: a method, the name of a block, or what a socket receives. Absent: all by
   * HTTP.
   */
  at?: string
  /**
   * Only one endpoint of a network has it at a time, since no client finds the truth between two liars. `provable`: a
   * proof shows it, so the client reports the endpoint and sets it aside.
   */
  lie?: true | 'provable'
}

const FACTS = {
  // The exchange itself.
  'rate-limit': { rows: 'F29' },
  'rate-limit-retry-after': { rows: 'F29' },
  'rate-limit-in-json': { rows: 'F29' },
  'rate-limit-by-item': { rows: 'F29' },
  'too-many-items': { rows: 'F29' },
  'html-502': { rows: 'F33' },
  'wrong-id': { rows: 'F33' },
  'no-result': { rows: 'F33' },
  truncated: { rows: 'F33' },
  'slow-body': { rows: 'F34' },
  disconnect: { rows: 'F33, F37' },
  'no-answer': { rows: 'F37' },
  late: { rows: 'F37' },
  down: { rows: 'F37' },
  // Error replies.
  'range-error': { rows: 'F31', at: 'eth_getLogs' },
  'not-yet-error': { rows: 'F16', at: 'eth_getLogs' },
  'limit-error': { rows: 'F30', at: 'eth_getLogs', lie: true },
  // Lies about logs.
  'logs-empty': { rows: 'F01, F02', at: 'eth_getLogs', lie: true },
  'logs-of-a-block-missing': { rows: 'F01, F02', at: 'eth_getLogs', lie: true },
  'logs-left-out': { rows: 'F75', at: 'eth_getLogs', lie: true },
  'liquidity-left-out': { rows: 'F79', at: 'eth_getLogs', lie: true },
  'one-log-missing': { rows: 'F03', at: 'eth_getLogs', lie: true },
  'logs-of-an-orphan': { rows: 'F04', at: 'eth_getLogs', lie: true },
  'logs-out-of-range': { rows: 'F05', at: 'eth_getLogs', lie: true },
  'logs-removed': { rows: 'F22', at: 'eth_getLogs', lie: true },
  'logs-twice': { rows: 'F21', at: 'eth_getLogs' },
  'bloom-zero': { rows: 'F23', at: 'eth_getBlockByNumber', lie: true },
  // Lies about contracts and receipts.
  'calls-denied': { rows: 'F76', at: 'eth_call', lie: true },
  'receipts-cut': { rows: 'F80', at: 'eth_getTransactionReceipt', lie: true },
  'receipts-swapped': { rows: 'F80', at: 'eth_getTransactionReceipt', lie: true },
  'hex-oddities': { rows: 'F39', at: 'eth_getLogs' },
  // Receipts of a whole block that are unavailable or false.
  'block-receipts-unsupported': { rows: 'F18', at: 'eth_getBlockReceipts' },
  'block-receipts-null': { rows: 'F18', at: 'eth_getBlockReceipts', lie: true },
  'block-receipts-null-entry': { rows: 'F18', at: 'eth_getBlockReceipts', lie: true },
  'block-receipts-empty': { rows: 'F18', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-receipts-cut': { rows: 'F18', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-receipts-one-missing': { rows: 'F18', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-receipts-log-missing': { rows: 'F03', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-receipts-liquidity-missing': { rows: 'F79', at: 'eth_getBlockReceipts', lie: true },
  'block-receipts-log-changed': { rows: 'F03', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-receipts-log-elsewhere': { rows: 'F04', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-receipts-exchanged': { rows: 'F18', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-receipts-renamed': { rows: 'F18', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-receipts-of-orphan': { rows: 'F04', at: 'eth_getBlockReceipts', lie: true },
  'block-receipts-of-parent': { rows: 'F18', at: 'eth_getBlockReceipts', lie: true },
  'block-receipts-made-up': { rows: 'F18', at: 'eth_getBlockReceipts', lie: true },
  // A block that differs from what its hash commits to, or is incomplete.
  'header-changed': { rows: 'F94', at: 'eth_getBlockReceipts', lie: 'provable' },
  'body-cut': { rows: 'F94', at: 'eth_getBlockReceipts', lie: 'provable' },
  'body-longer': { rows: 'F94', at: 'eth_getBlockReceipts', lie: 'provable' },
  'block-in-part': { rows: 'F94', at: 'eth_getBlockReceipts', lie: true },
  // Lies about blocks.
  'blocks-null': { rows: 'F16', at: 'eth_getBlockByNumber' },
  'head-ahead': { rows: 'F17, F38', at: 'latest', lie: true },
  'head-back': { rows: 'F13', at: 'latest', lie: true },
  lagging: { rows: 'F01, F16', lie: true },
  'other-fork': { rows: 'F36', lie: true },
  'wrong-chain': { rows: 'F35', lie: true },
  'wrong-chain-stays': { rows: 'F78', lie: true },
  'finalized-null': { rows: 'F38', at: 'finalized' },
  'finalized-unknown': { rows: 'F38', at: 'finalized' },
  'finalized-above': { rows: 'F38', at: 'finalized', lie: true },
  // The socket.
  'socket-mute': { rows: 'F19', at: 'newHeads' },
  'socket-closes': { rows: 'F20', at: 'newHeads' },
  'socket-refuses': { rows: 'F20', at: 'eth_subscribe' },
  'socket-repeats': { rows: 'F14', at: 'newHeads' },
  'socket-ahead': { rows: 'F17, F38', at: 'newHeads', lie: true },
} as const satisfies Record<string, FaultFacts>

export type Fault = keyof typeof FACTS

export const FAULTS: Readonly<Record<Fault, FaultFacts>> = FACTS
export const FAULT_NAMES = Object.keys(FAULTS) as Fault[]

/** Faults that are noticed immediately. The others are noticed only by the audit of final blocks, which runs later. */
export const NOTICED_IMMEDIATELY: readonly Fault[] = FAULT_NAMES.filter((fault) => fault !== 'one-log-missing')

const NEED_PROOF: readonly Fault[] = ['header-changed', 'body-cut', 'body-longer']
const LOSE_PROOF: readonly Fault[] = ['block-receipts-unsupported', 'block-receipts-null', 'block-in-part']
/** Faults that show when receipts of whole blocks are requested. */
const OF_PROOFS = FAULT_NAMES.filter((fault) => FAULTS[fault].at === 'eth_getBlockReceipts')
const SOCKET_SUBJECTS = ['eth_subscribe', 'newHeads']

/** Whether a fault shows in the response to a request, by the request's subject. */
export function isMetBy(fault: Fault, subject: string): boolean {
  const { at } = FAULTS[fault]
  return at === undefined ? !SOCKET_SUBJECTS.includes(subject) : at === subject
}

/**
 * Returns the faults that may come at nodes of a network, by what these show to prove their blocks. If all of them
 * prove each block, no fault leaves a block unproven. If one does not, no fault needs a proof to be noticed.
 */
export function faultsAt(proofs: readonly Proofs[]): readonly Fault[] {
  const proving = proofs.filter((shown) => shown === 'block-receipts').length
  const apart = proving === 0 ? OF_PROOFS : proving < proofs.length ? NEED_PROOF : LOSE_PROOF
  return NOTICED_IMMEDIATELY.filter((fault) => !apart.includes(fault))
}

/** Texts of providers, verbatim. */
export const RANGE_ERRORS: readonly (readonly [number, string])[] = [
  [-32602, 'requested too many blocks from 1 to 9, maximum is set to 5'],
  [-32000, 'Maximum allowed number of requested blocks is 3500'],
  [-32000, 'eth_getLogs is limited to a 10,000 range'],
  [-32000, 'exceeds the range allowed for your plan (5000 > 3000)'],
  [-32600, 'block range is too wide'],
  [-32000, 'Block range limit exceeded.'],
  [-32005, 'query returned more than 10000 results'],
  [-32008, 'response size should not greater than 10000000 bytes'],
  [-32000, 'query exceeds max results'],
  [-32000, 'no backend is currently healthy to serve traffic'],
  [-32000, 'maximum [from, to] blocks distance: 1000'],
  [-32000, 'too many logs'],
]

export const NOT_YET_ERRORS: readonly (readonly [number, string])[] = [
  [-32000, 'cannot query unfinalized data'],
  [-32000, 'invalid block height'],
  [-32000, 'after last accepted block'],
  [-32000, 'unknown block'],
  [-32000, 'header not found'],
  [-32000, 'requested epoch was a null round'],
]
