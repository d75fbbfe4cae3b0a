import { expect } from 'chai'
import { decodeExperiment } from '../../common/api/decode.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject, ResourceType } from '../../common/api/object.ts'
import { at, isObject, objectOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { ApiError } from '../../sandbox/api.ts'
import { usesControlPlane } from './fixture.ts'

/**
 * To be called in a `describe`: asks the API server what it makes of an experiment with `spec`, which names a source
 * and overrides nothing. Nothing is stored. Our webhook is not asked in this namespace: it may be there, without the
 * components that some strategies need.
 */
export function usesCrd() {
  const plane = usesControlPlane()
  const collection = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: 'kube-system' })
  const stored = (spec: object): Promise<KubeObject> => {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    return plane().api.create(`${collection}?dryRun=All&fieldValidation=Strict`, {
      apiVersion,
      kind,
      metadata: { name: 'asked-about' },
      spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {}, ...spec },
    })
  }
  return {
    /** What it would store. @throws ApiError if it refuses that */
    stored,
    /** `accepted`, or why not */
    answerTo: (spec: object): Promise<string> =>
      stored(spec).then(
        () => 'accepted',
        (error: unknown) => (error instanceof ApiError ? refusalIn(error) : String(error)),
      ),
  }
}

/** The oldest Kubernetes that is supported writes the type of the object that breaks a rule before its message. */
const refusalIn = ({ message }: ApiError): string => message.replaceAll('Invalid value: "object": ', 'Invalid value: ')

/** To be called in a `describe`: the same of a kind that no webhook of ours reviews, in a namespace or in none. */
export function usesKind({ apiVersion, kind, ...of }: ResourceType, place: { readonly namespace?: string } = {}) {
  const plane = usesControlPlane()
  const collection = resourcePath({ apiVersion, kind, ...of }, place)
  const stored = (spec: object, name = 'tried'): Promise<KubeObject> =>
    plane().api.create(`${collection}?dryRun=All&fieldValidation=Strict`, {
      apiVersion,
      kind,
      metadata: { name },
      spec,
    })
  return {
    stored,
    answerTo: (spec: object, name?: string): Promise<string> =>
      stored(spec, name).then(
        () => 'accepted',
        (error: unknown) => (error instanceof ApiError ? refusalIn(error) : String(error)),
      ),
  }
}

/** The fields below `path` that have no description. */
export function* undescribed(schema: unknown, path: string): Generator<string> {
  if (!at(schema, 'description')) yield path
  const item = at(schema, 'items')
  const properties = { ...objectOr(at(schema, 'properties')), ...objectOr(at(item, 'properties')) }
  for (const [key, value] of Object.entries(properties))
    if (isObject(value)) yield* undescribed(value, `${path}.${key}`)
}

/**
 * To be called in a `describe`: a test for each spec that the CRD accepts, all of which have a value at `path` that the
 * programs decode, and for each that it refuses with the words beside it.
 */
export function testsOfCrd(
  accepted: Readonly<Record<string, object>>,
  refused: Readonly<Record<string, readonly [spec: object, words: string | readonly string[]]>>,
  ...path: readonly string[]
): void {
  const crd = usesCrd()
  for (const [sentence, spec] of Object.entries(accepted))
    it(`accepts ${sentence}, and the programs decode it`, async () => {
      const stored = await crd.stored(spec)
      expect(decodeExperiment({ ...stored }, 'any').is).to.equal('experiment')
      expect(at(stored, 'spec', ...path)).not.to.equal(undefined)
    })
  for (const [sentence, [spec, words]] of Object.entries(refused))
    it(`refuses ${sentence}`, async () => {
      const answer = await crd.answerTo(spec)
      for (const each of [words].flat()) expect(answer, answer).to.include(each)
    })
}
