import { knownValue } from '../../common/api/known.ts'
import { type Text, text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { configurationName, type Installation, releaseOf } from './installation.ts'

/** How to make every object of the installation again as this version has it. */
export function installAgain(installation: Installation): Text {
  const [release, namespace] = [releaseOf(installation), text(installation.namespace)]
  return release === undefined
    ? said`Apply your overlay again: kubectl apply -k overlay`
    : said`Upgrade the release: helm upgrade ${text(release)} charts/experiment-deployment-controller --namespace=${namespace} --reset-then-reuse-values --force-conflicts`
}

/** How to get a certificate that the API server trusts, in the way in which this installation gets it. */
export function renewCertificate(installation: Installation): Text {
  const namespace = text(installation.namespace)
  return isByCertManager(installation)
    ? said`Find out why cert-manager does not renew it: kubectl describe certificate --namespace=${namespace}. To renew it now: cmctl renew experiment-webhook-tls --namespace=${namespace}`
    : said`Renew it: npm run certs -- --namespace=${namespace} --configuration=${text(configurationName(installation))}`
}

const isByCertManager = ({ configurations }: Installation): boolean =>
  Object.values(configurations).some(
    (each) => knownValue(each)?.metadata.annotations?.['cert-manager.io/inject-ca-from'] !== undefined,
  )

/** How to start the pods of a program again, and where to look if that does not help. */
export const restart = (name: string, { namespace }: Installation): Text =>
  said`Restart it: kubectl rollout restart deployment/${text(name)} --namespace=${text(namespace)}. If that does not help, read: kubectl logs deployment/${text(name)} --namespace=${text(namespace)}`
