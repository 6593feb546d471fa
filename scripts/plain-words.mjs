/** Idioms that comments, strings and docs avoid, and what to write instead. */
export const IDIOMS = [
  [/\b(tells?|told|telling)\b/i, 'report, show, return'],
  [/\b(asks?|asked|asking)\b/i, 'request, query, call'],
  [/\b(answers?|answered|answering)\b/i, 'respond, response, return'],
  [/\b(anew|afresh)\b/i, 'again, or re-read, re-fetch'],
  [/\b(believes?|believed)\b/i, 'trust, trusted'],
  [/\b(who|whom|whoever|somebody|nobody|anybody|everybody)\b/i, 'name the actor: the indexer, a client, an endpoint'],
  [/\b(is|are|was|were|be) (no(?! (longer|more))|none)\b/i, 'is not a'],
  [/\bso (many|much|long|few)\b/i, 'up to N, N per X, this many'],
  [/\b(stands?|stood)\b/i, 'is, lies in, remains'],
  [/\b(in front of|behind)\b/i, 'before, after, in'],
  [/\bbut for\b/i, 'except'],
  [/\bfor good\b/i, 'permanently'],
  [/\bat once\b/i, 'immediately, at the same time'],
  [/\btroubles?\b/i, 'error, problem'],
  [/\b(mends?|mended|mending)\b/i, 'repair, fix'],
  [/\b(shall|ought)\b/i, 'must, should'],
  [/\b(is|are|was|were|be) (said|had|wanted)\b/i, 'is reported, is acquired, is required'],
  [/\bof (its|their|our|one's) own\b/i, 'its own, a separate'],
  [/\b(in vain|for nothing)\b/i, 'unnecessarily, without result'],
  [/\b(takes?|taken|took) back\b/i, 'roll back'],
  [/\b(hands?|handed) (on|over)\b/i, 'pass, forward'],
  [/\b(goes|go|went|going) by\b/i, 'use, follow'],
  [/\ball the same\b/i, 'anyway, still'],
  [/\bof late\b/i, 'recently'],
]

/** Texts that may use an idiom, by file and words, and the reason. At most 20. */
export const EXCEPTIONS = []

/** A sentence has at most this many words; half of a page's sentences have at most as many as `median`. */
export const WORDS = { sentence: 40, median: 18 }

const SUBJECT = {
  most: 60,
  form: /^[a-z][\w/.-]*(?:, [a-z][\w/.-]*)*: ([a-z][\w-]*)/,
  notImperative: /([^s]s|[^e]ed|ing)$/,
}
const IMPERATIVES = ['alias', 'bring', 'embed', 'focus', 'ping', 'shed', 'string']

/** Returns what is wrong with the subject of a commit, undefined if nothing is. */
export function problemOfSubject(subject) {
  if (subject.length > SUBJECT.most) return `${subject.length} characters, at most ${SUBJECT.most}`
  const verb = SUBJECT.form.exec(subject)?.[1]
  if (verb === undefined) return 'is not "area: imperative"'
  const isImperative = IMPERATIVES.includes(verb) || !SUBJECT.notImperative.test(verb)
  return isImperative ? undefined : `"${verb}" is not an imperative`
}
