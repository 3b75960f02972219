// The grain of Roblox's materials, where it is in the world.

varying vec3 grainAt;
varying vec3 grainNormal;
/** The scale, the strength, and the width and height of bricks in studs. */
uniform vec4 grain;

float grainHash(vec3 at) {
  at = fract(at * 0.3183099 + 0.1) * 17.0;
  return fract(at.x * at.y * at.z * (at.x + at.y + at.z));
}

float grainNoise(vec3 at) {
  vec3 cell = floor(at);
  vec3 part = fract(at);
  part = part * part * (3.0 - 2.0 * part);
  vec4 near = vec4(grainHash(cell), grainHash(cell + vec3(1, 0, 0)), grainHash(cell + vec3(0, 1, 0)), grainHash(cell + vec3(1, 1, 0)));
  vec4 far = vec4(grainHash(cell + vec3(0, 0, 1)), grainHash(cell + vec3(1, 0, 1)), grainHash(cell + vec3(0, 1, 1)), grainHash(cell + vec3(1, 1, 1)));
  vec4 mixed = mix(near, far, part.z);
  return mix(mix(mixed.x, mixed.y, part.x), mix(mixed.z, mixed.w, part.x), part.y);
}

vec3 grained(vec3 color) {
  vec3 at = grainAt * grain.x;
  float tone = grainNoise(at) * 0.6 + grainNoise(at * 2.7) * 0.4;
  // What is smaller than a pixel would flicker.
  color *= 1.0 + grain.y * (tone - 0.5) * smoothstep(2.0, 0.4, length(fwidth(at)));
  if (grain.z == 0.0) return color;
  vec3 side = abs(grainNormal);
  vec2 flatAt = side.y > side.x && side.y > side.z ? grainAt.xz : side.x > side.z ? grainAt.zy : grainAt.xy;
  vec2 brick = flatAt / grain.zw;
  brick.x += mod(floor(brick.y), 2.0) * 0.5;
  vec2 wide = fwidth(flatAt / grain.zw) + 0.04;
  vec2 line = smoothstep(vec2(0.0), wide, min(fract(brick), 1.0 - fract(brick)));
  float seen = 1.0 - smoothstep(0.2, 0.6, max(wide.x, wide.y));
  return color * mix(1.0, (0.75 + 0.25 * min(line.x, line.y)) * (0.94 + 0.12 * grainHash(vec3(floor(brick), 1.0))), seen);
}
