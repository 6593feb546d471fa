import type { Chain } from '@dexfeed/chain'
import type { Answers, Hex, Question } from '@dexfeed/dex'

/** Asks the questions of many together and gives each the answers to its own, in their order. */
export async function askEach(
  chain: Pick<Chain, 'callMany'>,
  questions: readonly (readonly Question[])[],
  at: Hex | 'latest',
): Promise<Answers[]> {
  const answers = await chain.callMany(questions.flat(), at)
  let next = 0
  return questions.map(({ length }) => {
    next += length
    return answers.slice(next - length, next)
  })
}
