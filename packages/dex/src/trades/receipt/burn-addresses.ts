import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'

/** Nobody holds what is sent here. */
export const BURN_ADDRESSES: readonly Address[] = [ZERO_ADDRESS, `0x${'0'.repeat(36)}dead`]
