/** What other clients do to a fork, of which all is undone. What they add beside the fields of the controller stays. */
import { CR_NAME, DERIVED_HASH, EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { at } from '../../../common/json/json.ts'
import type { Api } from '../../../sandbox/api.ts'

type Tampering = (api: Api, path: string, fork: KubeObject) => Promise<unknown>

export const TAMPERINGS: readonly Tampering[] = [
  (api, path) =>
    api.patch(path, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'evil:1' }], 'json'),
  (api, path, fork) => api.patch(path, { spec: { replicas: Number(at(fork, 'spec', 'replicas')) + 1 } }),
  (api, path) => api.patch(path, { spec: { template: { metadata: { labels: { [CR_NAME]: 'other' } } } } }),
  (api, path) => api.patch(path, { metadata: { labels: { [EXPERIMENT_ID]: null } } }),
  (api, path) => api.patch(path, { metadata: { labels: null, annotations: null } }),
  (api, path) => api.patch(path, { metadata: { ownerReferences: null } }),
  (api, path) => api.patch(path, { metadata: { annotations: { [DERIVED_HASH]: 'no' } } }),
  (api, path) => api.patch(path, { metadata: { managedFields: [{}] } }),
  (api, path) => api.delete(path),
]
