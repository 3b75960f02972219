//! Equality bit by bit: NaN equals itself, and -0.0 is not 0.0.

use bstr::{BStr, BString};
use geom::wire::by_bits;
use geom::{CFrame, Ray, Rect, UDim, UDim2, Vector2int16, Vector3int16};

use crate::id::InstanceId;

by_bits!(BStr, BString, InstanceId, Vector2int16, Vector3int16);
by_bits! { fields:
    UDim { scale, offset }
    UDim2 { x, y }
    Ray { origin, direction }
    Rect { min, max }
    CFrame { position, rotation }
}
