const MAX_LENGTH = 60
const FORM = /^[a-z][\w/.-]*(?:, [a-z][\w/.-]*)*: ([a-z][\w-]*)/
const NOT_IMPERATIVE = /([^s]s|[^e]ed|ing)$/
const IMPERATIVES = ['alias', 'bring', 'embed', 'focus', 'ping', 'shed', 'string']

/** Returns what is wrong with a commit's subject, or undefined. */
export function problemOfSubject(subject) {
  if (subject.length > MAX_LENGTH) return `${subject.length} characters, at most ${MAX_LENGTH}`
  const verb = FORM.exec(subject)?.[1]
  if (verb === undefined) return 'is not "area: imperative"'
  const isImperative = IMPERATIVES.includes(verb) || !NOT_IMPERATIVE.test(verb)
  return isImperative ? undefined : `"${verb}" is not an imperative`
}
