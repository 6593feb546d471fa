import { contractCall } from '../../abi/contract-abi.ts'
import { addressWord, MAX_UINT256, uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import { type LaunchTrade, launchpad } from '../launchpad.ts'
import type { Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const FIELDS =
  '(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds)'
/** Returns thirteen words: the token itself if launched, then its quote token (zero is the native coin). */
const TOKEN_INFOS = contractCall<[Address, Address, ...bigint[]]>(
  'function _tokenInfos(address token) view returns (address base, address quote, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256)',
)

const fourMeme = launchpad({
  kind: 'four-meme',
  about: {
    name: 'four.meme',
    verifiedBy: 'the configured manager is the emitter, and its `_tokenInfos(token)` has the token',
    notCovered: 'the first manager; the tax of a tax token is not in the amounts',
  },
  events: {
    [`event TokenPurchase${FIELDS}`]: (log) => tradeOf(log, false),
    [`event TokenSale${FIELDS}`]: (log) => tradeOf(log, true),
  },
  quoteToken: {
    data: TOKEN_INFOS.data,
    read(answer, token) {
      const [base, quote] = TOKEN_INFOS.read(answer) ?? []
      return base === token && quote !== undefined ? quote : null
    },
  },
})

/** The cost excludes the fee: buyers pay the fee on top, sellers receive the cost less the fee. */
function tradeOf({ data }: Log, isTokenSold: boolean): LaunchTrade | null {
  const tokenAmount = uintWord(data, 3)
  const cost = uintWord(data, 4)
  const fee = uintWord(data, 5)
  const quoteAmount = isTokenSold ? cost - fee : cost + fee
  if (quoteAmount < 0n || quoteAmount > MAX_UINT256) return null
  return { token: addressWord(data, 0), isTokenSold, tokenAmount, quoteAmount }
}

export const venue: Venue = { protocols: [fourMeme], deployments }
