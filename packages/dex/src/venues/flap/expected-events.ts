import {
  type Arguments,
  coins,
  EMITTER,
  type ExpectedEvents,
  exchanged,
  lower,
} from '../../../test/random/expected-events.ts'

const trade = (args: Arguments, isTokenSold: boolean) => {
  const [sold, bought] = coins(isTokenSold)
  const [soldAmount, boughtAmount] = isTokenSold ? [args.amount, args.eth] : [args.eth, args.amount]
  const pool = `${EMITTER}${'0'.repeat(24)}${lower(args.token).slice(2)}`
  return { ...exchanged('flap', sold, soldAmount, bought, boughtAmount), pool }
}

export const EXPECTED_EVENTS: ExpectedEvents = {
  flap: { TokenBought: (args) => trade(args, false), TokenSold: (args) => trade(args, true) },
}
