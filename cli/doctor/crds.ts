import { SPEC_HASH } from '../../common/api/names.ts'
import type { ResourceType } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { count } from '../../common/text/count.ts'
import { listed } from '../../common/text/list.ts'
import { type Text, text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { bad, type Check, type Facts, type Finding, notKnown, ok, warn } from './check.ts'
import { releaseOf } from './installation.ts'
import { installAgain } from './remedies.ts'

const CRD: ResourceType = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
}

/** Whether the kinds of this version are there. */
export const crds: Check = { name: 'crds', needs: [], look }

async function look({ cluster, expected, installation }: Facts): Promise<Finding> {
  const found = await Promise.all(
    Object.entries(expected.crds).map(async ([name, hash]) => {
      const crd = await cluster.get(CRD, { name })
      if (crd.is === 'unknown') return { name, is: 'unknown', because: crd.because } as const
      if (crd.is === 'absent') return { name, is: 'missing' } as const
      const isEstablished = listOr(at(crd.value, 'status', 'conditions')).some(
        (each) => at(each, 'type') === 'Established' && at(each, 'status') === 'True',
      )
      if (!isEstablished) return { name, is: 'not established' } as const
      const isSame = crd.value.metadata.annotations?.[SPEC_HASH] === hash
      return { name, is: isSame ? 'sound' : 'other' } as const
    }),
  )
  const named = (is: (typeof found)[number]['is']) => found.filter((each) => each.is === is).map(({ name }) => name)
  const remedy = remedyOf(installation)
  for (const is of ['missing', 'not established'] as const)
    if (named(is).length > 0) return bad(said`${text(is)}: ${text(listed(named(is)))}`, remedy)
  const unread = found.find((each) => each.is === 'unknown')
  if (unread) return notKnown(text(unread.because))
  return named('other').length > 0
    ? warn(said`of another version: ${text(listed(named('other')))}`, remedy)
    : ok(said`${text(count(found.length, 'CRD'))} of this version`)
}

/** An overlay that is one of several has no CRDs, so the folder of the CRDs is named. */
const remedyOf = (installation: Facts['installation']): Text =>
  releaseOf(installation) === undefined
    ? said`Apply the CRDs of this version: kubectl apply -k crds`
    : installAgain(installation)
