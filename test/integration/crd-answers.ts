import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject, ResourceType } from '../../common/api/object.ts'
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
