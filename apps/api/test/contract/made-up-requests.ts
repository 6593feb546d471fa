import type { OpenApiDocument } from '@dexfeed/contract'
import fc from 'fast-check'

interface Parameter {
  name: string
  in: string
  schema: { enum?: string[]; pattern?: string; example?: string }
}

/** Invalid or unusual input. */
export const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.stringMatching(/^[%0-9a-f&=+;#?/\\.'"<>()[\]{}$:-]{0,40}$/),
  fc.constantFrom('', '\0', '%00', '\r\nX: y', '__proto__', 'constructor', 'NaN', '-1', '1e309', '٣', "' OR 1=1 --"),
  fc.constant('9'.repeat(40)),
)

/** Keeps the characters that an HTTP client can send at all. */
export const asciiOf = (text: string) => text.replace(/[^\x21-\x7e]/g, '')

/**
 * Returns random requests of a documented path. They use what the document suggests, and sometimes spoil a part.
 *
 * @param sensible values with a meaning to the API, for parameters whose schema suggests none
 */
export function madeUpRequests(document: OpenApiDocument, path: string, sensible: readonly string[]) {
  const parameters = (document.paths?.[path]?.get?.parameters ?? []) as Parameter[]
  const parts = path.split(/(\{\w+\})/).map((part) => {
    const parameter = parameters.find(({ name }) => `{${name}}` === part)
    if (parameter === undefined) return fc.constant(part)
    return fc.oneof({ weight: 6, arbitrary: allowed(parameter, sensible) }, hostile).map(encodeURIComponent)
  })
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  return fc
    .tuple(fc.tuple(...parts), queries(inQuery, sensible))
    .map(([segments, query]) => `${segments.join('')}?${query}`)
}

function queries(parameters: readonly Parameter[], sensible: readonly string[]): fc.Arbitrary<string> {
  const plain = parameters.map((parameter) =>
    allowed(parameter, sensible).map((value) => `${parameter.name}=${encodeURIComponent(value)}`),
  )
  const spoiled = parameters.map((parameter) => fc.array(spoiledPair(parameter, sensible), { maxLength: 2 }))
  const noise = fc.array(hostile.map(asciiOf), { maxLength: 2 })
  const some = fc.tuple(fc.tuple(...plain), fc.subarray([...parameters.keys()]))
  return fc.oneof(
    fc.tuple(...plain).map((pairs) => pairs.join('&')),
    { weight: 3, arbitrary: some.map(([pairs, chosen]) => chosen.map((at) => pairs[at]).join('&')) },
    { weight: 2, arbitrary: fc.tuple(...spoiled, noise).map((pairs) => pairs.flat().join('&')) },
  )
}

function spoiledPair({ name, ...parameter }: Parameter, sensible: readonly string[]): fc.Arbitrary<string> {
  const names = fc.oneof(
    { weight: 9, arbitrary: fc.constant(name) },
    fc.constantFrom(`${name}[]`, `${name}[a]`, name.toUpperCase()),
  )
  const values = fc.oneof({ weight: 3, arbitrary: allowed({ name, ...parameter }, sensible) }, hostile)
  const areEncoded = fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false))
  return fc
    .tuple(names, values, areEncoded)
    .map(([key, value, encode]) => `${key}=${encode ? encodeURIComponent(value) : asciiOf(value)}`)
}

const ADDRESS = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/)
const CURSOR = fc.stringMatching(/^\d{1,15}-(eth|bsc|polygon)-\d{1,9}-\d{1,9}$/)
/** Many parameters have the same pattern, and it takes long to prepare. */
const matching = new Map<string, fc.Arbitrary<string>>()

function textsOf(pattern: string): fc.Arbitrary<string> {
  const texts = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  matching.set(pattern, texts)
  return texts
}

/** Returns texts that a parameter's schema allows. */
function allowed({ schema }: Parameter, sensible: readonly string[]): fc.Arbitrary<string> {
  const { enum: values, pattern, example } = schema
  if (values !== undefined) return fc.constantFrom(...values, ...values.map((value) => value.toUpperCase()))
  const examples = example === undefined ? [] : [fc.constant(example)]
  if (pattern !== undefined) return fc.oneof(textsOf(pattern), ...examples)
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...sensible) },
    ADDRESS,
    CURSOR,
    fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }),
    ...examples,
  )
}
