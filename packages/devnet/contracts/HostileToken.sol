// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// A token that moves like any other and answers everything else (name, symbol, decimals ...) as it was told to:
/// with any bytes, with a revert, with a loop until the gas is gone, or with a megabyte of zeros. Answers may change.
contract HostileToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    enum Manner {
        Bytes,
        Revert,
        Burn,
        Megabyte
    }

    mapping(address => uint256) public balanceOf;
    mapping(bytes4 => Manner) private _manner;
    mapping(bytes4 => bytes) private _answer;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    function answer(bytes4 selector, Manner manner, bytes calldata data) external {
        _manner[selector] = manner;
        _answer[selector] = data;
    }

    fallback() external {
        Manner manner = _manner[msg.sig];
        if (manner == Manner.Revert) revert("no");
        while (manner == Manner.Burn) {}
        bytes memory data = _answer[msg.sig];
        assembly {
            if eq(manner, 3) {
                return(0, 1000000)
            }
            return(add(data, 32), mload(data))
        }
    }
}
