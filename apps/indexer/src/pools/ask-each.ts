import type { Chain } from '@dexfeed/chain'
import type { Answers, Hex, Question } from '@dexfeed/dex'

/** Asks the questions of many together and gives each the answers to its own, in their order. */
export async function askEach(
  chain: Pick<Chain, 'callMany'>,
  questions: readonly (readonly Question[])[],
  at: Hex | 'latest',
  how?: Parameters<Chain['callMany']>[2],
): Promise<Answers[]> {
  return dealOut(await chain.callMany(questions.flat(), at, how), questions)
}

/** The same of a second endpoint; null: there is none that answers. */
export async function askEachElsewhere(
  chain: Pick<Chain, 'callElsewhere'>,
  questions: readonly (readonly Question[])[],
  at: Hex | 'latest',
): Promise<Answers[] | null> {
  const answers = await chain.callElsewhere(questions.flat(), at)
  return answers === null ? null : dealOut(answers, questions)
}

function dealOut(answers: Answers, questions: readonly (readonly Question[])[]): Answers[] {
  let next = 0
  return questions.map(({ length }) => {
    next += length
    return answers.slice(next - length, next)
  })
}
