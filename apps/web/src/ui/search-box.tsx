import { useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import { useResource } from '../data/use-resource.ts'

/** Search after typing pauses for this long. */
const PAUSE_MS = 150

interface SearchBoxProps<Option> {
  label: string
  /** Shown while the user types nothing. */
  shown: string
  placeholder?: string
  /** Part of the key of each search: what `find` depends on besides the text. */
  scope: string
  find: (text: string, signal: AbortSignal) => Promise<readonly Option[]>
  keyOf: (option: Option) => string
  children: (option: Option) => ComponentChildren
  empty: string
  /** Receives the chosen option, or the text itself if it finds none. */
  onChoose: (choice: Option | string) => void
  field?: RefObject<HTMLInputElement | null>
}

/** A field that lists what it finds while the user types, for keyboard and pointer. */
export function SearchBox<Option>(props: SearchBoxProps<Option>) {
  const { label, shown, placeholder, scope, find, keyOf, children, empty, onChoose, field } = props
  const id = useId()
  const typed = useSignal<string | null>(null)
  const searched = useSignal('')
  const active = useSignal(0)
  /** Whether the user has pressed Enter before the options of the text arrived. */
  const isAwaited = useSignal(false)
  const text = typed.value?.trim() ?? ''
  useEffect(() => {
    const timer = setTimeout(() => {
      searched.value = text
      active.value = 0
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const q = searched.value
  const { state } = useResource(
    q === '' ? null : `find ${scope} ${q}`,
    async (signal) => ({ of: q, options: await find(q, signal) }),
    { keepPrevious: true },
  )
  const { data: found, error } = state.value
  const isCurrent = text !== '' && (found?.of === text || (q === text && error !== null))
  /** What Enter may choose from; after a failure, older options are still shown. */
  const current = found?.of === text ? found.options : []
  const options = q === '' ? [] : (found?.options ?? [])
  const isOpen = typed.value !== null && q !== ''
  const close = () => {
    typed.value = null
    isAwaited.value = false
  }
  const choose = (option: Option | undefined) => {
    onChoose(option ?? text)
    close()
  }
  const awaited = isAwaited.value
  useEffect(() => {
    if (awaited && isCurrent) choose(current[0])
  }, [awaited, isCurrent])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    if (event.key === 'Enter' && text !== '') {
      event.preventDefault()
      if (isCurrent) choose(current[active.value])
      else isAwaited.value = true
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || options.length === 0) return
    event.preventDefault()
    active.value = (active.value + step + options.length) % options.length
  }
  return (
    <div class="search">
      <input
        ref={field ?? null}
        class="field"
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen && options.length > 0 ? `${id}-${active.value}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={128}
        placeholder={placeholder}
        value={typed.value ?? shown}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value
          isAwaited.value = false
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      {isOpen && (
        <div class="options">
          <div role="listbox" id={`${id}-list`} aria-label={`${label}: results`}>
            {options.map((option, at) => (
              <div
                key={keyOf(option)}
                class="option"
                id={`${id}-${at}`}
                role="option"
                tabIndex={-1}
                aria-selected={at === active.value}
                onPointerDown={(event) => {
                  event.preventDefault()
                  choose(option)
                }}
              >
                {children(option)}
              </div>
            ))}
          </div>
          {options.length === 0 && (
            <p class="option-empty" role="status">
              {state.value.loading ? 'Searching …' : (error?.message ?? empty)}
            </p>
          )}
        </div>
      )}
    </div>
  )
}
