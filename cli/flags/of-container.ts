import { readImage } from '../../common/api/image.ts'
import { misuse } from '../process/stop.ts'

/** An image for a container. */
export interface ImageFlag {
  /** absent: the only container of the source */
  readonly container?: string
  readonly image: string
}

/** A variable for a container. */
export interface EnvFlag {
  /** absent: the only container of the source */
  readonly container?: string
  readonly name: string
  readonly value: string
}

/** A `[CONTAINER=]IMAGE`. @throws Stop that names the part that is wrong */
export function imageOf(written: string): ImageFlag {
  const at = written.indexOf('=')
  const [container, image] = at < 0 ? [undefined, written] : [written.slice(0, at), written.slice(at + 1)]
  if (container === '') throw misuse(`--image ${written}`, 'no container before "="', IMAGE_REMEDY)
  if (readImage(image) === undefined)
    throw misuse(`--image ${written}`, `"${image}" is no image after ${at < 0 ? 'the flag' : '"="'}`, IMAGE_REMEDY)
  return { image, ...(container === undefined ? {} : { container }) }
}

const IMAGE_REMEDY = 'Write --image [CONTAINER=]IMAGE, such as --image cart=registry.example/cart:2.0.0'

/** A `[CONTAINER:]KEY=VALUE`. @throws Stop that names the part that is missing */
export function envOf(written: string): EnvFlag {
  const equals = written.indexOf('=')
  if (equals < 0) throw misuse(`--env ${written}`, `no "=" after "${written}"`, ENV_REMEDY)
  const [key, value] = [written.slice(0, equals), written.slice(equals + 1)]
  const colon = key.indexOf(':')
  const [container, name] = colon < 0 ? [undefined, key] : [key.slice(0, colon), key.slice(colon + 1)]
  // without the value, which may be secret
  if (container === '') throw misuse(`--env ${key}=`, 'no container before ":"', ENV_REMEDY)
  if (name === '') throw misuse(`--env ${key}=`, 'no name before "="', ENV_REMEDY)
  return { name, value, ...(container === undefined ? {} : { container }) }
}

const ENV_REMEDY = 'Write --env [CONTAINER:]KEY=VALUE, such as --env cart:FLAG=on'
