import { FIELD_MANAGER, PROMOTION_MANAGER, SCALE_MANAGER } from '../../common/api/names.ts'
import { withHash } from '../../common/fork/derive.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { Write } from '../../common/writes/write.ts'
import { type Changing, placeOf } from './ownership.ts'

/** The request that makes a write. */
export function requestOf(write: Changing): KubeRequest {
  const { verb, resource } = write
  switch (verb) {
    case 'apply':
      if (write.role === 'pod') return gateRequest(write)
      return {
        verb,
        path: resourcePath(resource, placeOf(write.object)),
        // Without force, the first apply does not take over the fields of an object that has the name already.
        query: {
          fieldManager: FIELD_MANAGER,
          fieldValidation: 'Strict',
          force: write.role === 'fork' || write.role === 'twin',
        },
        body: withHash(write.object),
        expects: resource.kind,
      }
    case 'create':
      return { verb, path: resourcePath(resource, { namespace: placeOf(write.object).namespace }), body: write.object }
    case 'patch':
      return {
        verb,
        contentType: 'application/merge-patch+json',
        path: resourcePath(resource, {
          ...placeOf(write.of),
          ...(write.subresource ? { subresource: write.subresource } : {}),
        }),
        query: { fieldManager: write.role === 'source' ? PROMOTION_MANAGER : FIELD_MANAGER },
        body: write.patch,
        expects: resource.kind,
      }
    case 'jsonPatch':
      return {
        verb: 'patch',
        contentType: 'application/json-patch+json',
        path: resourcePath(resource, placeOf(write.of)),
        query: { fieldManager: SCALE_MANAGER },
        body: write.operations,
        expects: resource.kind,
      }
  }
}

/** Server-side apply leaves the other conditions of the pod as they are. With its uid, no other pod gets it. */
const gateRequest = ({ verb, resource, object }: Extract<Write, { role: 'pod' }>): KubeRequest => ({
  verb,
  path: resourcePath(resource, { ...placeOf(object), subresource: 'status' }),
  query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: true },
  body: object,
  expects: resource.kind,
})
