import type { Proofs } from './show-block.ts'

/** Faults of a node, with the numbers of their rows in docs/internals/faults.md. */
export const FAULTS = {
  // The exchange itself.
  'rate-limit': 'F29',
  'rate-limit-retry-after': 'F29',
  'rate-limit-in-json': 'F29',
  'rate-limit-by-item': 'F29',
  'too-many-items': 'F29',
  'html-502': 'F33',
  'wrong-id': 'F33',
  'no-result': 'F33',
  truncated: 'F33',
  'slow-body': 'F34',
  disconnect: 'F33, F37',
  'no-answer': 'F37',
  late: 'F37',
  down: 'F37',
  // Error replies.
  'range-error': 'F31',
  'not-yet-error': 'F16',
  'limit-error': 'F30',
  // Lies about logs.
  'logs-empty': 'F01, F02',
  'logs-of-a-block-missing': 'F01, F02',
  'logs-left-out': 'F75',
  'liquidity-left-out': 'F79',
  'one-log-missing': 'F03',
  'logs-of-an-orphan': 'F04',
  'logs-out-of-range': 'F05',
  'logs-removed': 'F22',
  'logs-twice': 'F21',
  'bloom-zero': 'F23',
  // Lies about contracts and receipts.
  'calls-denied': 'F76',
  'receipts-cut': 'F80',
  'receipts-swapped': 'F80',
  'hex-oddities': 'F39',
  // Receipts of a whole block that are unavailable or false.
  'block-receipts-unsupported': 'F18',
  'block-receipts-null': 'F18',
  'block-receipts-null-entry': 'F18',
  'block-receipts-empty': 'F18',
  'block-receipts-cut': 'F18',
  'block-receipts-one-missing': 'F18',
  'block-receipts-log-missing': 'F03',
  'block-receipts-liquidity-missing': 'F79',
  'block-receipts-log-changed': 'F03',
  'block-receipts-log-elsewhere': 'F04',
  'block-receipts-exchanged': 'F18',
  'block-receipts-renamed': 'F18',
  'block-receipts-of-orphan': 'F04',
  'block-receipts-of-parent': 'F18',
  'block-receipts-made-up': 'F18',
  // A block that differs from what its hash commits to, or is incomplete.
  'header-changed': 'F94',
  'body-cut': 'F94',
  'body-longer': 'F94',
  'block-in-part': 'F94',
  // Lies about blocks.
  'blocks-null': 'F16',
  'head-ahead': 'F17, F38',
  'head-back': 'F13',
  lagging: 'F01, F16',
  'other-fork': 'F36',
  'wrong-chain': 'F35',
  'wrong-chain-stays': 'F78',
  'finalized-null': 'F38',
  'finalized-unknown': 'F38',
  'finalized-above': 'F38',
  // The socket.
  'socket-mute': 'F19',
  'socket-closes': 'F20',
  'socket-refuses': 'F20',
  'socket-repeats': 'F14',
  'socket-ahead': 'F17, F38',
} as const

export type Fault = keyof typeof FAULTS

export const FAULT_NAMES = Object.keys(FAULTS) as Fault[]

/** Faults that are noticed immediately. The others are noticed only by the audit of final blocks, which runs later. */
export const NOTICED_IMMEDIATELY: readonly Fault[] = FAULT_NAMES.filter((fault) => fault !== 'one-log-missing')

const NEED_PROOF = ['header-changed', 'body-cut', 'body-longer'] as const
const LOSE_PROOF = ['block-receipts-unsupported', 'block-receipts-null', 'block-in-part'] as const
type ProofFault = Extract<Fault, `block-receipts-${string}`> | (typeof NEED_PROOF | typeof LOSE_PROOF)[number]
/** Faults that show when receipts of whole blocks are requested. */
const OF_PROOFS = [
  ...FAULT_NAMES.filter((fault) => fault.startsWith('block-receipts-')),
  ...NEED_PROOF,
  'block-in-part',
] as ProofFault[]

/** The subject of a request: its method, or the name of the block; of a socket, what it subscribes to or receives. */
export type Subject = string

const SOCKET_SUBJECTS = ['eth_subscribe', 'newHeads']
const byHttp = (subject: Subject): boolean => !SOCKET_SUBJECTS.includes(subject)
const of =
  (...subjects: readonly Subject[]) =>
  (subject: Subject): boolean =>
    subjects.includes(subject)
const ofLogs = of('eth_getLogs')

/** Whether a fault shows in the response to a request. */
export const CONCERNS: Record<Fault, (subject: Subject) => boolean> = {
  ...(Object.fromEntries(FAULT_NAMES.map((fault) => [fault, byHttp])) as Record<Fault, typeof byHttp>),
  'range-error': ofLogs,
  'not-yet-error': ofLogs,
  'limit-error': ofLogs,
  'logs-empty': ofLogs,
  'logs-of-a-block-missing': ofLogs,
  'logs-left-out': ofLogs,
  'liquidity-left-out': ofLogs,
  'one-log-missing': ofLogs,
  'logs-of-an-orphan': ofLogs,
  'logs-out-of-range': ofLogs,
  'logs-removed': ofLogs,
  'logs-twice': ofLogs,
  'hex-oddities': ofLogs,
  'calls-denied': of('eth_call'),
  'receipts-cut': of('eth_getTransactionReceipt'),
  'receipts-swapped': of('eth_getTransactionReceipt'),
  'bloom-zero': of('eth_getBlockByNumber'),
  'blocks-null': of('eth_getBlockByNumber'),
  ...(Object.fromEntries(OF_PROOFS.map((fault) => [fault, of('eth_getBlockReceipts')])) as Record<
    ProofFault,
    ReturnType<typeof of>
  >),
  'head-ahead': of('latest'),
  'head-back': of('latest'),
  'finalized-null': of('finalized'),
  'finalized-unknown': of('finalized'),
  'finalized-above': of('finalized'),
  'socket-mute': of('newHeads'),
  'socket-closes': of('newHeads'),
  'socket-refuses': of('eth_subscribe'),
  'socket-repeats': of('newHeads'),
  'socket-ahead': of('newHeads'),
}

/** Faults that only one endpoint of a network has at a time: no client finds the truth between two liars. */
export const LIES: ReadonlySet<Fault> = new Set<Fault>([
  'logs-empty',
  'logs-of-a-block-missing',
  'logs-left-out',
  'liquidity-left-out',
  'one-log-missing',
  'logs-of-an-orphan',
  'logs-out-of-range',
  'logs-removed',
  'bloom-zero',
  'head-ahead',
  'head-back',
  'lagging',
  'other-fork',
  'wrong-chain',
  'wrong-chain-stays',
  'calls-denied',
  'receipts-cut',
  'receipts-swapped',
  'limit-error',
  'finalized-above',
  'socket-ahead',
  ...OF_PROOFS.filter((fault) => fault !== 'block-receipts-unsupported'),
])

/** Faults that a proof shows to be false: the client reports the endpoint and sets it aside. */
export const PROVABLY_FALSE: ReadonlySet<Fault> = new Set<Fault>([
  'block-receipts-empty',
  'block-receipts-cut',
  'block-receipts-one-missing',
  'block-receipts-log-missing',
  'block-receipts-log-changed',
  'block-receipts-log-elsewhere',
  'block-receipts-exchanged',
  'block-receipts-renamed',
  ...NEED_PROOF,
])

/**
 * Returns the faults that may come at nodes of a network, by what these show to prove their blocks. If all of them prove
 * each block, no fault leaves a block unproven. If one does not, no fault needs a proof to be noticed.
 */
export function faultsAt(proofs: readonly Proofs[]): readonly Fault[] {
  const proving = proofs.filter((shown) => shown === 'block-receipts').length
  const isApart: ReadonlySet<Fault> = new Set<Fault>(
    proving === 0 ? OF_PROOFS : proving < proofs.length ? NEED_PROOF : LOSE_PROOF,
  )
  return NOTICED_IMMEDIATELY.filter((fault) => !isApart.has(fault))
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
