import { type Expectation, type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

const ofTokens: Expectation = (args) =>
  settled('market-maker', args.tokenIn, args.amountIn, args.tokenOut, args.amountOut)
const ofAssets: Expectation = (args) =>
  settled('market-maker', args.inAsset, args.inAmount, args.outAsset, args.outAmount)
const ofMaker: Expectation = (args) =>
  settled('market-maker', args.sellerToken, args.sellerTokenAmount, args.buyerToken, args.buyerTokenAmount)

export const EXPECTED_EVENTS: ExpectedEvents = {
  'market-maker': {
    TesseraTrade: ofTokens,
    ElfomoTrade: (args) => settled('market-maker', args.fromToken, args.fromAmount, args.toToken, args.toAmount),
    FermiSwap: ofTokens,
    Swap: (args) => settled('market-maker', args.srcToken, args.srcAmount, args.destToken, args.destAmount),
    Swapped: (args) => (args.tokenIn === undefined ? ofAssets(args) : ofTokens(args)),
    RFQTrade: ofMaker,
    PAMMTrade: ofMaker,
    CoveSwapped: ofAssets,
  },
}
