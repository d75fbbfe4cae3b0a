import type { ErrorObject } from 'ajv'
import type { Path } from '../json/field-path.ts'
import { listOr } from '../json/json.ts'
import type { BanLookup } from '../override/rules.ts'
import { didYouMean, editDistance } from '../text/did-you-mean.ts'
import { alternatives } from '../text/list.ts'
import { withLastWord, withSameLetters } from '../text/related-key.ts'
import type { FieldLocations } from './field-locations.ts'
import { fieldNamesOf, validFields } from './wrong-type.ts'

/** Fields of an experiment. Workloads have none of these names, but for `replicas`, at the root. */
const OF_EXPERIMENTS: ReadonlySet<string> = new Set([
  'onSourceChange',
  'overrideSpec',
  'overrideType',
  'replicas',
  'sourceRef',
  'ttlSeconds',
])

/** What the author of an unknown field means: a field of the same object, or the same name in another place. */
type Meaning =
  | { readonly is: 'field'; readonly key: string }
  | { readonly is: 'places'; readonly places: readonly string[] }

/** The best guess, in the order of confidence. `parent` is the object that ajv refused. */
function meaningOf(error: ErrorObject, parent: Path, locations: FieldLocations): Meaning | undefined {
  const found = String(error.params.additionalProperty)
  const known = fieldNamesOf(error)
  const required = listOr(error.parentSchema?.required).filter((key) => typeof key === 'string')
  const near = didYouMean(found, known)
  const slip = near !== undefined && editDistance(found, near) === 1 ? near : undefined
  const guesses: readonly (() => Meaning | undefined)[] = [
    () => field(slip ?? withLastWord(found, known, required)),
    () => placed(locations.placesOf(found, parent)),
    () => field(withSameLetters(found, known)),
    () => placed(locations.besideOf(found, parent)),
    () => field(near),
  ]
  for (const guess of guesses) {
    const meaning = guess()
    if (meaning) return meaning
  }
  return undefined
}

const field = (key: string | undefined): Meaning | undefined => (key === undefined ? undefined : { is: 'field', key })
const placed = (places: readonly string[]): Meaning | undefined =>
  places.length === 0 ? undefined : { is: 'places', places }

/** The known field of the same object that was meant by the unknown one. It may be banned. */
export function meantField(error: ErrorObject, parent: Path, locations: FieldLocations): string | undefined {
  const meaning = meaningOf(error, parent, locations)
  return meaning?.is === 'field' ? meaning.key : undefined
}

/** Describes a field of `parent` that there is not, and what may be meant. */
export function unknownField(
  error: ErrorObject,
  parent: Path,
  { locations, banOf }: { readonly locations: FieldLocations; readonly banOf: BanLookup },
): string {
  if (OF_EXPERIMENTS.has(String(error.params.additionalProperty)))
    return 'unknown field; it belongs in spec, beside overrideSpec'
  const meaning = meaningOf(error, parent, locations)
  if (!meaning) return `unknown field; ${validFields(error, parent, banOf)}`
  if (meaning.is === 'places') return `unknown field; it belongs in ${formatPlaces(meaning.places)}`
  const refused = banOf([...parent, meaning.key])
  const name = JSON.stringify(meaning.key)
  return `unknown field; ${refused === undefined ? `did you mean ${name}?` : `if you mean ${name}: ${refused}`}`
}

/** `template.spec`, or `template.spec.containers[].resources.limits or requests`: what places share is said once. */
function formatPlaces(places: readonly string[]): string {
  const [first = ''] = places
  const shared = first.slice(0, first.lastIndexOf('.') + 1)
  const isShared = places.every((place) => place.lastIndexOf('.') === shared.length - 1 && place.startsWith(shared))
  const statedPlaces = isShared ? [first, ...places.slice(1).map((place) => place.slice(shared.length))] : places
  return alternatives(statedPlaces.map((place) => place || 'overrideSpec itself'))
}
