import { NO_REFERENCES, type Protocol } from '../protocol.ts'
import { uniswapV3 } from '../uniswap/uniswap-v3.ts'
import { ALGEBRA_LIST_IDENTITY } from './algebra-v1.9.ts'

/** Algebra 1.9 with a fee for each direction (THENA Fusion): the swaps of V1. Those fees are not followed: not quoted. */
export const algebraDirectional: Protocol = {
  kind: 'algebra-directional',
  family: 'concentrated',
  events: uniswapV3.events,
  identity: ALGEBRA_LIST_IDENTITY,
  state: null,
  ...NO_REFERENCES,
}
