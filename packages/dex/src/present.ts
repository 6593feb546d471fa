/**
 * Returns a value that the code around it knows to exist, such as an item at an index within its list. The compiler
 * cannot know that. A made-up default would hide the error.
 *
 * @throws RangeError if it does not exist; in a formula this counts as a revert (`orNull`)
 */
export function present<Value>(value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw new RangeError('a value that must exist is missing')
  return value
}
