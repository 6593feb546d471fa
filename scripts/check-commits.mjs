// Checks commit subjects since the commit that set the rule.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { helpIfRequested } from '@dexfeed/service/command-help'
import { problemOfSubject } from './commit-subject.mjs'

helpIfRequested('commits', process.argv.slice(2))

const SINCE = '7b4679d51092800da082e37fb6111516ed7166e6'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
const subjects = readSubjects()
if (subjects === undefined) console.log('skipped: the history of this checkout does not reach the first checked commit')
else {
  const problems = subjects.flatMap((subject) => {
    const problem = problemOfSubject(subject)
    return problem === undefined ? [] : [`${subject}: ${problem}`]
  })
  if (problems.length > 0) {
    console.error(problems.join('\n'))
    process.exit(1)
  }
  console.log(`${subjects.length} commits have plain subjects`)
}

/** Returns the subjects without merges, or undefined in a shallow or exported checkout. */
function readSubjects() {
  try {
    git('merge-base', '--is-ancestor', SINCE, 'HEAD')
    return git('log', '--no-merges', '--format=%s', `${SINCE}..HEAD`).split('\n').filter(Boolean)
  } catch {
    return undefined
  }
}
